/** Before every test file: a statement that was made but never run is an error (src/sql/sql.ts). */
import { trackStatements } from "../src/sql/sql.ts";

trackStatements(true);
