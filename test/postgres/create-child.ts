/** Makes or migrates a bus when told to: `bun create-child.ts URL`, a line on standard input, and the answer is one of JSON. */
import { createPostgres } from "../../src/engines/postgres/connect.ts";
import { migrations } from "../../src/engines/postgres/schema.ts";

const [url, more] = process.argv.slice(2) as [string, string?];
process.stdout.write("ready\n");
// All at once, however long each of them took to start.
for await (const _ of console) break;
const created = await createPostgres(url, more ? [...migrations, more] : migrations);
process.stdout.write(`${JSON.stringify({ created })}\n`);
