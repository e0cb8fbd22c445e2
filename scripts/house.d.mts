import type { Rule } from 'eslint';

export interface Zone {
  zone: string;
  what: string;
  uses: string[];
  /** Each folder or file, and what it is. */
  rooms: [room: string, what: string][];
}
export const HOUSE: Zone[];
export const EXCEPTIONS: ReadonlySet<string>;
export function roomOf(file: string): { path: string } | undefined;
export function whyNot(from: string, to: string, typesOnly: boolean): string | null;
export function whyNotPackage(from: string, specifier: string): string | null;
export const houseRule: Rule.RuleModule;
export function importGraph(): Map<string, string[]>;
export function shortestCircle(graph: Map<string, string[]>): string[] | null;
export function mutualPairs(graph: Map<string, string[]>): string[];
export function picture(): string;
