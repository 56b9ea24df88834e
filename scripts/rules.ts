/** The rules of SPEC.md and the tests that cite them: one parser for the check and for the table in docs/engines.md. */

export interface Rule {
  /** `M3`. */
  id: string;
  /** Its first line. */
  text: string;
  /** Its sub-rules, as `M3.1`, in the order in which they stand there. */
  parts: string[];
}

const heading = /^\s*- \*\*\[([A-Z]\d+)(?:\.(\d+))?\]\*\* (.+)$/gm;

/** The rules, each with its sub-rules; `problems` says which ids are doubled, misplaced or out of order. */
export function rulesIn(spec: string): { rules: Rule[]; problems: string[] } {
  const rules: Rule[] = [];
  const problems: string[] = [];
  for (const [, id, part, text] of spec.matchAll(heading)) {
    const last = rules.at(-1);
    if (part === undefined) {
      if (rules.some((rule) => rule.id === id)) problems.push(`SPEC.md has [${id}] twice`);
      rules.push({ id: id!, text: text!, parts: [] });
    } else if (last?.id !== id) problems.push(`SPEC.md: [${id}.${part}] does not stand below [${id}]`);
    else {
      last!.parts.push(`${id}.${part}`);
      if (Number(part) !== last!.parts.length)
        problems.push(`SPEC.md: [${id}.${part}] should be [${id}.${last!.parts.length}]`);
    }
  }
  return { rules, problems };
}

export const idPattern = /\[([A-Z]\d+(?:\.\d+)?)\]/g;

export interface TestTitle {
  title: string;
  /** The ids it starts with: rules and sub-rules. */
  cites: string[];
}

export function titlesIn(source: string): TestTitle[] {
  return [...source.matchAll(/\btest(?:\.\w+(?:\([^\n]*?\))?)*\(\s*(["'`])((?:(?!\1).)*)/g)].map((match) => {
    const title = match[2]!;
    const start = /^(\[[A-Z]\d+(?:\.\d+)?\] )+/.exec(title)?.[0] ?? "";
    return { title, cites: [...start.matchAll(idPattern)].map(([, id]) => id!) };
  });
}

/** A sub-rule counts for its rule: `M3.1` is `M3`. */
export const ruleOf = (id: string) => id.replace(/\.\d+$/, "");
