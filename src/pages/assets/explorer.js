// Starts Swagger UI on the served document.

// Dark or light, as the system says, also when that changes.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const place = document.getElementById("explorer");
const { address, prefix } = place.dataset;
const example = { en: "Example", es: "Ejemplo" }[document.documentElement.lang];

/**
 * Tells the examples of optional parameters in words. Swagger UI would fill them in and send them all at once, and no
 * event is everything at once.
 */
function leaveEmpty(description) {
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  const parameters = operations.flatMap((operation) => operation.parameters ?? []);
  for (const parameter of [...parameters, ...Object.values(description.components.parameters ?? {})]) {
    for (const teller of parameter.required ? [] : [parameter, parameter.schema]) {
      if (teller?.example !== undefined) {
        parameter.description += `\n\n${example}: \`${teller.example}\``;
        delete teller.example;
      }
    }
  }
}

function start(description) {
  leaveEmpty(description);
  // The document knows nothing of a path that a proxy puts before its own.
  description.servers = [{ url: prefix || "/" }];
  SwaggerUIBundle({
    domNode: place,
    spec: description,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
  });
}

fetch(address)
  .then((answer) => answer.json())
  .then(start)
  .catch((error) => { place.textContent = error; });
