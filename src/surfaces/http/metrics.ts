/** What the hub counts, in Prometheus' text form. */
interface Sum {
  requests: number;
  seconds: number;
}

export type Metrics = ReturnType<typeof openMetrics>;

export function openMetrics() {
  const counted = new Map<string, Map<number, Sum>>();
  return {
    count(operation: string, status: number, ms: number): void {
      const byStatus = counted.get(operation) ?? new Map<number, Sum>();
      const sum = byStatus.get(status) ?? { requests: 0, seconds: 0 };
      if (sum.requests === 0) counted.set(operation, byStatus.set(status, sum));
      sum.requests++;
      sum.seconds += ms / 1000;
    },
    text(gauges: Record<string, [help: string, value: number]>): string {
      const rows = [...counted].flatMap(([operation, byStatus]) =>
        [...byStatus].map(([status, sum]) => ({
          labels: `operation="${operation}",status="${status}"`,
          ...sum,
        })),
      );
      const lines = [
        "# HELP restante_requests_total Requests answered.",
        "# TYPE restante_requests_total counter",
        ...rows.map(({ labels, requests }) => `restante_requests_total{${labels}} ${requests}`),
        "# HELP restante_request_seconds_total Time spent on them, waiting included.",
        "# TYPE restante_request_seconds_total counter",
        ...rows.map(({ labels, seconds }) => `restante_request_seconds_total{${labels}} ${seconds}`),
      ];
      for (const [name, [help, value]] of Object.entries(gauges))
        lines.push(
          `# HELP restante_${name} ${help}`,
          `# TYPE restante_${name} gauge`,
          `restante_${name} ${value}`,
        );
      return `${lines.join("\n")}\n`;
    },
  };
}
