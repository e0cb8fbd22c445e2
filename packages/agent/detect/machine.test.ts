import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { detectMachine, suggestedClass, suggestion } from './machine.ts';

function folderWith(program: string, mode: number) {
  const path = mkdtempSync(join(tmpdir(), 'mesh-agent-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  // Whoever started it would see it fail.
  writeFileSync(join(path, program), '#!/bin/sh\nexit 1\n');
  chmodSync(join(path, program), mode);
  return path;
}

it('Programs are found in the PATH if they can be started; what is suggested is a configuration', () => {
  const docker = folderWith('docker', 0o755);
  const ollama = folderWith('ollama', 0o644);
  const machine = detectMachine({ PATH: `${ollama}:${docker}:/nowhere` });
  expect(machine.programs).toEqual([{ name: 'docker', file: join(docker, 'docker') }]);
  const before = '[service]\nurl = "https://mesh.example.org"\n[node]\nid = "node_a"\n';
  const { compute } = parseConfig(before + suggestion(machine), '/c.toml');
  expect(compute).toMatchObject([{ name: 'my-docker', backend: 'docker', replicas: 1 }]);
  expect(detectMachine({}).programs).toEqual([]);
});

it.each([
  [{ cpus: 4, memoryGib: 4, programs: [] }, 'S'],
  [{ cpus: 4, memoryGib: 16, programs: [] }, 'M'],
  [{ cpus: 64, memoryGib: 16, programs: [] }, 'L'],
  [
    {
      cpus: 4,
      memoryGib: 8,
      programs: [{ name: 'nvidia-smi' as const, file: '/usr/bin/nvidia-smi' }],
    },
    'L',
  ],
])('%j is of class %s', (machine, size) => {
  expect(suggestedClass(machine)).toBe(size);
});
