import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadOptions } from './generator.ts';

/** A second opinion: https://github.com/wg/wrk, as packaged by distributions. */

export const hasWrk = () => spawnSync('wrk', ['-v']).error === undefined;

/** @returns answers per second */
export async function runWrk(options: LoadOptions): Promise<number> {
  const { url, headers, connections, seconds, processes = 1 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-wrk-'));
  const script = join(directory, 'load.lua');
  writeFileSync(script, luaOf(options));
  try {
    const { stdout } = await promisify(execFile)('wrk', [
      `--threads=${processes}`,
      `--connections=${connections}`,
      `--duration=${Math.max(1, Math.round(seconds))}s`,
      `--script=${script}`,
      ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
      url,
    ]);
    const found = /^Requests\/sec:\s+([\d.]+)/m.exec(stdout);
    if (!found || /Non-2xx or 3xx responses/.test(stdout))
      throw new Error(`wrk got unexpected answers:\n${stdout}`);
    return Number(found[1]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The same heartbeats as our own generator's. */
const luaOf = ({ method, nodes }: LoadOptions) =>
  method === 'GET'
    ? ''
    : `
function init() math.randomseed(os.time()) end
function request()
  local n = math.random(0, ${nodes - 1})
  return wrk.format("POST", nil, nil, string.format(
    '{"nodeId":"node_%d","lat":%d,"lng":%d,"label":"node %d","class":"M","region":"EU","status":"online"}',
    n, (n * 7) % 170 - 85, (n * 13) % 360 - 180, n))
end`;
