// Starts Swagger UI on the served document.

// Dark or light, as the system says, also when that changes.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const container = document.getElementById("explorer");
const { document: documentUrl, prefix } = container.dataset;
const example = { en: "Example", es: "Ejemplo" }[document.documentElement.lang];

/**
 * Tells the examples of optional parameters in words. Swagger UI would fill them in and send them all at once, and no
 * event is everything at once.
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
  // The document knows nothing of a path that a proxy puts before its own.
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
