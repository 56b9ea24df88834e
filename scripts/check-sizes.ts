/**
 * No file of src or web has more than 300 lines, no function more than 80, and no function more than four positional
 * parameters: a long function hides its steps, and a fifth argument is counted on fingers at every call. Migrations are
 * excepted: they are only ever appended to.
 */
import { join, relative } from "node:path";
import {
  isCallExpression,
  isFunctionLikeDeclaration,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";

const most = { fileLines: 300, functionLines: 80, parameters: 4 };
const root = join(import.meta.dir, "..");
/** Of others' functions: what they take is not ours to change. */
const notOurs = ["isLegacyRequest"];
const isMigrations = (file: string) => /^src\/engines\/\w+\/schema\.ts$/.test(file);

const problems: string[] = [];
let files = 0;
for await (const file of new Bun.Glob("{src,web}/**/*.{ts,tsx,js,css}").scan(root)) {
  files++;
  const lines = (await Bun.file(join(root, file)).text()).split("\n").length - 1;
  if (lines > most.fileLines && !isMigrations(file))
    problems.push(`${file}: ${lines} lines; at most ${most.fileLines}`);
}

const api = new API({ cwd: root });
try {
  for (const config of ["tsconfig.json", "web/tsconfig.json"]) {
    const snapshot = await api.updateSnapshot({ openProjects: [join(root, config)] });
    const project = snapshot.getProject(join(root, config))!;
    for (const path of project.rootFiles) {
      const file = relative(root, path);
      if (!/^(src|web)\//.test(file) || isMigrations(file)) continue;
      look((await project.program.getSourceFile(path))!, file);
    }
  }
} finally {
  await api.close();
}

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${files} files, none and no function in them above its size`);

function look(source: SourceFile, file: string): void {
  const starts = [0, ...[...source.text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (position: number) => starts.findLastIndex((start) => start <= position) + 1;
  const visit = (node: Node): void => {
    if (isFunctionLikeDeclaration(node)) {
      const first = lineAt(node.getStart(source));
      const lines = lineAt(node.end) - first + 1;
      const name = nameOf(node, source);
      const where = `${file}:${first}: ${name}`;
      if (lines > most.functionLines)
        problems.push(`${where} has ${lines} lines; at most ${most.functionLines}`);
      if (node.parameters.length > most.parameters)
        problems.push(`${where} takes ${node.parameters.length} arguments; more than four are an object`);
    }
    if (isCallExpression(node)) {
      const skipped = node.arguments.findIndex((argument) => argument.getText(source) === "undefined");
      const isOurs = !notOurs.includes(node.expression.getText(source));
      if (isOurs && skipped >= 0 && skipped < node.arguments.length - 1)
        problems.push(
          `${file}:${lineAt(node.getStart(source))}: undefined skips an argument; pass an object`,
        );
    }
    node.forEachChild(visit);
  };
  visit(source);
}

/** Its own name, or that of what it is assigned to. */
function nameOf(node: Node, source: SourceFile): string {
  for (const at of [node, node.parent]) {
    const { name } = at as { name?: Node };
    if (name) return name.getText(source);
  }
  return "a function";
}
