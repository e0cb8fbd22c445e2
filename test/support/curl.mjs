// Stands in for curl on a machine that has none: as much of it as README uses.
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X', default: 'GET' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
  },
  allowPositionals: true,
});
const response = await fetch(positionals[0], {
  method: values.request,
  headers: values.header.map((line) => line.split(/: */, 2)),
  body: values.data,
});
process.stdout.write(await response.text());
