// Reads /openapi.json and makes a form of every operation. Everything is text nodes: nothing an agent wrote is markup.
const place = document.getElementById("operations");
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

const hint = (schema) =>
  schema.enum
    ? schema.enum.join(" | ")
    : schema.default === undefined
      ? (schema.type ?? "")
      : `${JSON.stringify(schema.default)}`;

const api = await (await fetch("/openapi.json")).json();
place.replaceChildren();
for (const [path, methods] of Object.entries(api.paths))
  for (const [method, operation] of Object.entries(methods))
    place.append(section(method.toUpperCase(), path, operation));

document.getElementById("find").addEventListener("input", ({ target }) => {
  const wanted = target.value.toLowerCase();
  for (const row of place.children) row.hidden = !row.textContent.toLowerCase().includes(wanted);
});

function section(method, path, operation) {
  const form = make("form");
  const body = operation.requestBody?.content["application/json"].schema;
  const fields = [
    ...(operation.parameters ?? []).map((one) => ({ ...one, place: one.in })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      schema,
      place: "body",
      required: body.required?.includes(name),
    })),
  ];
  for (const field of fields) {
    const help = field.schema.description ?? field.description ?? "";
    const input = make("input", {
      name: field.name,
      required: Boolean(field.required),
      placeholder: hint(field.schema),
    });
    form.append(
      make("label", {}, make("span", { textContent: field.name + (field.required ? " *" : "") }), input),
    );
    if (help) form.append(make("small", { textContent: help }));
  }
  const output = make("pre", { hidden: true });
  form.append(make("button", { textContent: "Send" }), output);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.hidden = false;
    output.textContent = "…";
    try {
      const response = await call(method, path, fields, new FormData(form));
      output.className = response.ok ? "" : "bad";
      output.textContent = `${response.status}\n${pretty(await response.text())}`;
    } catch (error) {
      output.className = "bad";
      output.textContent = String(error);
    }
  });
  const head = make(
    "summary",
    {},
    make("span", { className: `method ${method}`, textContent: method }),
    make("code", { textContent: path }),
    make("span", { className: "about", textContent: operation.summary }),
  );
  return make(
    "details",
    {},
    head,
    ...(operation.description ? [make("p", { textContent: operation.description })] : []),
    form,
  );
}

function call(method, path, fields, data) {
  const token = document.getElementById("token").value;
  const query = new URLSearchParams();
  const body = {};
  let url = path;
  for (const { name, place: where, schema } of fields) {
    const text = data.get(name);
    if (text === "") continue;
    if (where === "path") url = url.replace(`{${name}}`, encodeURIComponent(text));
    else if (where === "query") query.set(name, text);
    else body[name] = schema.type === "string" || schema.enum ? text : JSON.parse(text);
  }
  const headers = {
    "x-inbox-client": "docs",
    ...(token && { authorization: `Bearer ${token}` }),
    ...(method !== "GET" && { "content-type": "application/json" }),
  };
  return fetch(query.size ? `${url}?${query}` : url, {
    method,
    headers,
    body: method === "GET" ? undefined : JSON.stringify(body),
  });
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
