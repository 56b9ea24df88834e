/** What a run of `bun test` has printed, test by test. Nothing else says it all: its report files leave out why a test failed. */

const result = /^\((pass|fail|skip|todo)\) (.*?)(?: \[([\d.]+)ms\])?$/;
const heading = /^(\S+\.test\.ts):$/;
/** The reason that stands below its verdict: the test has no error of its own then. */
const timedOut = /^\s+\^ this test timed out/;
/** At the end of a long run what failed, was skipped or is to be done is named once more. */
const repetition = /^\d+ tests? (?:failed|skipped|todo):$/;

/**
 * The tests in the order they ended: `word` is pass, fail, skip or todo; `said` are the lines printed since the one before.
 * @param {string} output
 */
export function testsIn(output) {
  const tests = [];
  let file = "";
  let said = [];
  for (const line of output.split("\n")) {
    if (repetition.test(line)) break;
    if (timedOut.test(line) && tests.at(-1)?.word === "fail") {
      tests.at(-1).said.push(line);
      continue;
    }
    const [, word, title, ms] = result.exec(line) ?? [];
    const [, named] = heading.exec(line) ?? [];
    if (word) tests.push({ file, word, title, ms: Number(ms ?? 0), said });
    else if (!named) {
      said.push(line);
      continue;
    }
    file = named ?? file;
    said = [];
  }
  return tests;
}

/**
 * Why a test failed. Of files that run beside each other the reason may come after the verdict, with the next one of its file,
 * or between those of the other file: then it is known by the file that its trace names.
 */
export function reasonOf(failed, tests) {
  const tells = ({ said }) => said.some((line) => /\berror:/i.test(line) || timedOut.test(line));
  const names = ({ said }) => said.some((line) => line.includes(`/${failed.file}:`));
  const later = tests.slice(tests.indexOf(failed) + 1).filter(({ file }) => file === failed.file);
  const { said } = tells(failed)
    ? failed
    : (later.find((test) => test.word !== "fail" && tells(test)) ??
      tests.find((test) => tells(test) && names(test)) ??
      failed);
  return said.slice(-60).join("\n").trim();
}

/** The engines as columns: the same tests, and what became of them on each. */
export function engineTable(tests) {
  const engines = ["sqlite", "hub", "postgres", "rabbitmq"];
  const count = (word, engine) =>
    tests.filter((test) => test.word === word && test.title.startsWith(`${engine} > `)).length;
  const line = (cells) => cells.map((cell) => String(cell).padStart(10)).join("");
  const rows = ["pass", "fail", "skip"].map((word) => [word, ...engines.map((name) => count(word, name))]);
  return [["", ...engines], ...rows].map(line).join("\n");
}

/** The files whose tests took longest, added up; those that run beside each other within a file count in full. */
export function longestFiles(tests, most = 10) {
  const seconds = new Map();
  for (const { file, ms } of tests) seconds.set(file, (seconds.get(file) ?? 0) + ms / 1000);
  return [...seconds]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([file, took]) => `${took.toFixed(1).padStart(10)} s  ${file}`)
    .join("\n");
}

export const countOf = (tests, word) => tests.filter((test) => test.word === word).length;
