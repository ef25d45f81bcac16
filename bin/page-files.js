// Copies the files of packages that GraphiQL and the reference of the REST API load in browsers, with their licences, for
// bin/generated.js: node bin/page-files.js FOLDER. The packages are 35 MB for development; these files are 4.
const fs = require("node:fs");
const { basename, dirname, join } = require("node:path");

const root = join(__dirname, "..");
/** The folder that the service serves them from. */
const PAGES = "dist/pages";
/** Files by served name: path in node_modules. */
const FILES = {
  "react.js": "react/umd/react.production.min.js",
  "react-dom.js": "react-dom/umd/react-dom.production.min.js",
  "graphiql.js": "graphiql/graphiql.min.js",
  "graphiql.css": "graphiql/graphiql.min.css",
  "graphql-ws.js": "graphql-ws/umd/graphql-ws.min.js",
  "swagger-ui.js": "swagger-ui-dist/swagger-ui-bundle.js",
  "swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
};
const PACKAGES = [...new Set(Object.values(FILES).map((path) => path.split("/")[0]))];

/** What the files depend on: this list, and the versions of the packages. */
const INPUTS = [
  "bin/page-files.js",
  ...PACKAGES.map((name) => `node_modules/${name}/package.json`),
];

/** Names of the licence of a package, and of the notices that it asks to hand on. */
const isLicence = (name) => /^(licen[cs]e|notice)\b/i.test(name);

/** Copies all files below a folder, as if that were the root. */
function copyPageFiles(folder) {
  const copied = { ...FILES };
  for (const name of PACKAGES) {
    for (const file of fs.readdirSync(join(root, "node_modules", name)).filter(isLicence)) {
      copied[`${name}.${file}`] = `${name}/${file}`;
    }
  }
  for (const path of Object.values(FILES)) {
    // The licences of what a bundle contains.
    const bundled = `${path}.LICENSE.txt`;
    if (fs.existsSync(join(root, "node_modules", bundled))) copied[basename(bundled)] = bundled;
  }
  for (const [name, path] of Object.entries(copied)) {
    const target = join(folder, PAGES, name);
    fs.mkdirSync(dirname(target), { recursive: true });
    fs.copyFileSync(join(root, "node_modules", path), target);
  }
}

module.exports = { INPUTS };

if (require.main === module) copyPageFiles(process.argv[2]);
