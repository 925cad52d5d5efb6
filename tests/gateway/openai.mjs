// openai.mjs BASE_URL PLAN - what the official client of OpenAI's API gets from a gateway.
//
// PLAN is JSON: {models: [...], long: MODEL, mixed: N, tokens: N}. Prints JSON:
// {streamed: {model: {...}}, cancelled: {...}, mixed: {...}, unknown: {...}, listed: [...]}.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.PARETOPILOT_BROWSER_DIR}/package.json`);
const { OpenAI } = require("openai");

const [baseURL, planText] = process.argv.slice(2);
const plan = JSON.parse(planText);
const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: "any", maxRetries: 0, timeout: 60000 });
const messages = [{ role: "user", content: "say something" }];

async function stream(model) {
    const got = { text: "", chunks: 0, finish: null, usage: null };
    const events = await client.chat.completions.create({
        model, messages, max_tokens: plan.tokens, stream: true, temperature: 0, stream_options: { include_usage: true },
    });
    for await (const event of events) {
        got.chunks++;
        got.text += event.choices[0]?.delta?.content ?? "";
        got.finish = event.choices[0]?.finish_reason ?? got.finish;
        got.usage = event.usage ?? got.usage;
    }
    return got;
}

// Leaves after the third piece of an answer that would go on for long.
async function cancel(model) {
    const events = await client.completions.create({ model, prompt: " red", max_tokens: 100000, stream: true });
    let pieces = 0;
    for await (const event of events) {
        if (event.choices[0]?.text && ++pieces === 3)
            break; // the client aborts its request
    }
    return { pieces };
}

async function one(i) {
    const model = plan.models[i % plan.models.length];
    const kind = ["chat stream", "chat", "text stream", "text"][Math.floor(i / plan.models.length) % 4];
    const options = { model, max_tokens: 4, temperature: 0 };
    if (kind === "chat stream")
        return { kind, ended: (await stream(model)).finish !== null };
    if (kind === "chat") {
        const answer = await client.chat.completions.create({ ...options, messages });
        return { kind, ended: answer.choices[0].finish_reason !== null && answer.usage.completion_tokens > 0 };
    }
    if (kind === "text") {
        const answer = await client.completions.create({ ...options, prompt: " red" });
        return { kind, ended: answer.choices[0].finish_reason !== null && answer.usage.completion_tokens > 0 };
    }
    let finish = null;
    for await (const event of await client.completions.create({ ...options, prompt: " red", stream: true }))
        finish = event.choices[0]?.finish_reason ?? finish;
    return { kind, ended: finish !== null };
}

async function mixed(count) {
    const out = { ended: {}, failures: [] };
    let next = 0;
    const worker = async () => {
        while (next < count) {
            const i = next++;
            try {
                const { kind, ended } = await one(i);
                if (ended)
                    out.ended[kind] = (out.ended[kind] ?? 0) + 1;
                else
                    out.failures.push(`${i} (${kind}) has no end`);
            } catch (problem) {
                out.failures.push(`${i}: ${problem.message}`);
            }
        }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    return out;
}

async function unknown() {
    try {
        await client.chat.completions.create({ model: "no-such-model", messages });
    } catch (problem) {
        return { class: problem.constructor.name, status: problem.status, code: problem.code, type: problem.type };
    }
    return null;
}

const result = { streamed: {} };
for (const model of plan.models)
    result.streamed[model] = await stream(model);
result.cancelled = await cancel(plan.long);
result.listed = (await client.models.list()).data.map((model) => model.id);
result.unknown = await unknown();
result.mixed = await mixed(plan.mixed);
console.log(JSON.stringify(result));
