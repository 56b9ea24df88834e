/** What a benchmark hands to the report. */
export interface Table {
  /** Column heads; the first column is text, the others are figures. */
  head: string[];
  rows: string[][];
}

export interface Aim {
  aim: string;
  found: string;
  met: boolean;
}

export interface Section {
  title: string;
  /** What is measured, how, and against what. */
  about: string;
  tables: Table[];
  aims: Aim[];
  notes?: string[];
}

export interface Benchmark {
  name: string;
  /** Programs of the machine without which it is not run. */
  needs?: readonly string[];
  /** `size`: how much of it, where it was asked for with `NAME=SIZE`. */
  run(size?: number): Promise<Section>;
}
