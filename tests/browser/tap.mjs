// tap.mjs - what a test found, in TAP on standard output.

export class Report {
  #number = 0;
  #failed = 0;

  // Each fault is one line; none means that the test passed.
  test(name, faults) {
    this.#number++;
    console.log(`${faults.length > 0 ? "not ok" : "ok"} ${this.#number} - ${name}`);
    const shown = faults.flatMap((fault) => fault.split("\n"));
    for (const line of shown.slice(0, 60)) console.log(`#   ${line}`);
    if (shown.length > 60) console.log(`#   and ${shown.length - 60} lines more`);
    if (faults.length > 0) this.#failed++;
  }

  skip(name, why) {
    this.#number++;
    console.log(`ok ${this.#number} - ${name} # SKIP ${why}`);
  }

  note(text) {
    console.log(`# ${text}`);
  }

  end() {
    console.log(`1..${this.#number}`);
    process.exitCode = this.#failed > 0 ? 1 : 0;
  }
}
