/**
 * Before every test file: a statement that was made but never run is an error (src/sql/sql.ts). What a hub answers must be
 * in its /openapi.json, whoever asks (test/support/declared-fetch.ts). And nothing of the person who runs the tests is read or
 * written: what a user has is in a folder of the tests' own (test/support/user.ts). What tests leave running is ended
 * (test/support/left-behind.ts).
 */
import { trackStatements } from "../src/sql/sql.ts";
import { declaredFetch } from "./support/declared-fetch.ts";
import { endWhatIsLeft } from "./support/left-behind.ts";
import { actAsTestUser } from "./support/user.ts";

trackStatements(true);
globalThis.fetch = Object.assign(declaredFetch(fetch), { preconnect: fetch.preconnect });
actAsTestUser();
endWhatIsLeft();
