/** Figures: taking them from samples, and writing them. */

/** The value that a share of the samples does not exceed (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  const ordered = samples.toSorted((a, b) => a - b);
  return ordered[Math.max(0, Math.ceil(ordered.length * share) - 1)] ?? Number.NaN;
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5);
export const least = (samples: readonly number[]) => percentile(samples, 0);
export const most = (samples: readonly number[]) => percentile(samples, 1);
export const sum = (samples: readonly number[]) => samples.reduce((total, sample) => total + sample, 0);

/** Three significant digits, never an exponent: 0.0123, 1.23, 12.3, 1,234. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const places = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
}

export const ms = (value: number) => `${digits(value)} ms`;
export const times = (value: number) => `${digits(value)} ×`;
export const perSecond = (value: number) => `${digits(value)}/s`;
