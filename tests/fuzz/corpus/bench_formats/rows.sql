CREATE TABLE IF NOT EXISTS llama_bench (
  model_filename TEXT,
  n_prompt INTEGER,
  n_gen INTEGER,
  avg_ts REAL
);

INSERT INTO llama_bench (model_filename, n_prompt, n_gen, avg_ts) VALUES ('it''s.gguf', '512', '0', '110.5');
