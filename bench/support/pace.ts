/** `npm run bench -- --quick`: two minutes, to see whether something has become slower. Nothing of it is written down. */
export const quick = process.argv.includes("--quick");

/** How many rounds, or how long, in a whole run and in a quick one. */
export const paced = (whole: number, short: number) => (quick ? short : whole);
