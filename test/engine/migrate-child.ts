/** One of several processes that open, and so migrate, the same database (migrations.test.ts). */
import { openDatabase } from "../../src/engines/sqlite/connect.ts";
import { migrations } from "../../src/engines/sqlite/schema.ts";

const later = "create table later (a text) strict; insert into later values ('here');";
openDatabase(process.argv[2]!, [...migrations, later]).close();
