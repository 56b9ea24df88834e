/** What the hub counts, in Prometheus' text form. */
export function openMetrics() {
  const requests = new Map<string, number>();
  const seconds = new Map<string, number>();
  return {
    count(operation: string, status: number, ms: number): void {
      const key = `operation="${operation}",status="${status}"`;
      requests.set(key, (requests.get(key) ?? 0) + 1);
      seconds.set(key, (seconds.get(key) ?? 0) + ms / 1000);
    },
    text(gauges: Record<string, [help: string, value: number]>): string {
      const lines = [
        "# HELP restante_requests_total Requests answered.",
        "# TYPE restante_requests_total counter",
      ];
      for (const [labels, value] of requests) lines.push(`restante_requests_total{${labels}} ${value}`);
      lines.push(
        "# HELP restante_request_seconds_total Time spent on them, waiting included.",
        "# TYPE restante_request_seconds_total counter",
      );
      for (const [labels, value] of seconds) lines.push(`restante_request_seconds_total{${labels}} ${value}`);
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
