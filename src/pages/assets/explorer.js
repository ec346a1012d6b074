// Starts Swagger UI with the OpenAPI document.

// Follow the colour scheme of the system.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const container = document.getElementById("explorer");
const { document: documentUrl, prefix } = container.dataset;
const example = { en: "Example", es: "Ejemplo" }[document.documentElement.lang];

/**
 * Moves the examples of optional parameters to their descriptions. Swagger UI would send them all at once, and no event
 * matches all of them.
 */
function describeExamples(openapi) {
  const operations = Object.values(openapi.paths).flatMap((path) => Object.values(path));
  const parameters = operations.flatMap((operation) => operation.parameters ?? []);
  for (const parameter of [...parameters, ...Object.values(openapi.components.parameters ?? {})]) {
    for (const holder of parameter.required ? [] : [parameter, parameter.schema]) {
      if (holder?.example !== undefined) {
        parameter.description += `\n\n${example}: \`${holder.example}\``;
        delete holder.example;
      }
    }
  }
}

function start(openapi) {
  describeExamples(openapi);
  // The document does not include the path prefix of a proxy.
  openapi.servers = [{ url: prefix || "/" }];
  SwaggerUIBundle({
    domNode: container,
    spec: openapi,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
  });
}

fetch(documentUrl)
  .then((response) => response.json())
  .then(start)
  .catch((error) => { container.textContent = error; });
