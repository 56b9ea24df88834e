/** The texts of a TypeScript source: strings, and what templates say between what they insert. Comments are none. */

/** Behind a name or a bracket `!` is no negation, and what follows is a division. */
const beforeRegex = /(?:^|[(,=:[&|?{};\n>+]|(?<![\w\])])!|\breturn)\s*$/;

export function textsIn(source: string): string[] {
  const texts: string[] = [];
  /** Open templates; each counts the braces that were opened inside of what it inserts. */
  const templates: number[] = [];
  let at = 0;
  const until = (end: RegExp): string => {
    const from = at;
    while (at < source.length && !end.test(source.slice(at, at + 2))) at += source[at] === "\\" ? 2 : 1;
    return source.slice(from, at);
  };
  const template = () => {
    texts.push(until(/^(?:`|\$\{)/));
    if (source[at] === "`") at++;
    else {
      at += 2;
      templates.push(0);
    }
  };
  while (at < source.length) {
    const letter = source[at]!;
    const two = source.slice(at, at + 2);
    if (two === "//") at = source.indexOf("\n", at) >>> 0;
    else if (two === "/*") at = source.indexOf("*/", at) + 2;
    else if (letter === '"' || letter === "'") {
      at++;
      texts.push(until(new RegExp(`^${letter}`)));
      at++;
    } else if (letter === "`") {
      at++;
      template();
    } else if (letter === "/" && beforeRegex.test(source.slice(Math.max(0, at - 20), at))) {
      at++;
      for (let inClass = false; at < source.length && (source[at] !== "/" || inClass); at++) {
        if (source[at] === "\\") at++;
        else if (source[at] === "[") inClass = true;
        else if (source[at] === "]") inClass = false;
      }
      at++;
    } else if (letter === "}" && templates.at(-1) === 0) {
      at++;
      templates.pop();
      template();
    } else {
      if (templates.length && (letter === "{" || letter === "}"))
        templates[templates.length - 1]! += letter === "{" ? 1 : -1;
      at++;
    }
  }
  return texts;
}
