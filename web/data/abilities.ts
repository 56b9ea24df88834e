/** What this hub can do: an operation that it does not list is not offered. */
import { signal } from "@preact/signals";
import { send } from "./api.ts";

const routes = signal<ReadonlySet<string>>(new Set());

export async function loadAbilities(): Promise<void> {
  const response = await send("/openapi.json");
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  routes.value = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    ),
  );
}

export const can = (route: string) => routes.value.has(route);
