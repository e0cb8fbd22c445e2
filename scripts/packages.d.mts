import type { BuildOptions } from 'esbuild';

export const agentBundle: BuildOptions;
export const REQUIRE: string;
