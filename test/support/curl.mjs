// Replaces curl on machines that have none, with the options that README and the guides use.
import { STATUS_CODES } from 'node:http';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: {
    silent: { type: 'boolean', short: 's' },
    include: { type: 'boolean', short: 'i' },
    'no-buffer': { type: 'boolean', short: 'N' },
    'max-time': { type: 'string', short: 'm' },
    request: { type: 'string', short: 'X', default: 'GET' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
  },
  allowPositionals: true,
});
// The reader may stop early, as `head` does.
process.stdout.on('error', () => process.exit(23));
const response = await fetch(positionals[0], {
  method: values.request,
  headers: values.header.map((line) => line.split(/: */, 2)),
  body: values.data,
  signal: values['max-time'] ? AbortSignal.timeout(Number(values['max-time']) * 1000) : null,
});
if (values.include) {
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  process.stdout.write(
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${head}\r\n`,
  );
}
for await (const part of response.body ?? []) process.stdout.write(part);
