import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { engines } from "../support/engines.ts";

test("[G1] every contract test runs on SQLite, through a remote hub, on Postgres and with RabbitMQ", () => {
  expect(engines.map(({ name }) => name)).toEqual([
    "sqlite",
    "hub",
    ...(process.env.TEST_POSTGRES ? ["postgres"] : []),
    ...(process.env.TEST_POSTGRES && process.env.TEST_RABBITMQ ? ["rabbitmq"] : []),
  ]);
  const files = readdirSync(import.meta.dir).filter(
    (file) => file.endsWith(".test.ts") && file !== "engines.test.ts",
  );
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = readFileSync(join(import.meta.dir, file), "utf8");
    expect([file, text.includes("describe.each(engines)"), /^test\(/m.test(text)]).toEqual([
      file,
      true,
      false,
    ]);
  }
});
