// Resolves the imports of package.json ("#server/…") and relative ones for eslint-plugin-boundaries.
const { existsSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const root = dirname(__dirname);

exports.interfaceVersion = 2;

exports.resolve = (source, file) => {
  const path = source.replace(/\?.*$/, '');
  const found = path.startsWith('#')
    ? join(root, path.slice(1))
    : path.startsWith('.')
      ? resolve(dirname(file), path)
      : null;
  return found !== null && existsSync(found) ? { found: true, path: found } : { found: false };
};
