import { RegExpParser, type AST } from '@eslint-community/regexpp';

/**
 * Counts the steps that work on a text takes, instead of its time: every character that a method of a text reads, and
 * every step of a backtracking matcher for each regular expression. The matcher's results have to be those of the engine.
 */

/** Methods of a text that read all of it, or may. */
const READERS = [
  'normalize',
  'toLowerCase',
  'toUpperCase',
  'trim',
  'slice',
  'split',
  'includes',
  'indexOf',
  'replaceAll',
  'startsWith',
  'endsWith',
] as const;

/**
 * @param most more steps end the work with an error
 * @returns how many steps `work` has taken
 */
export function stepsOf(work: () => unknown, most: number): number {
  let steps = 0;
  const count = (more: number) => {
    steps += more;
    if (steps > most) throw new Error(`more than ${most} steps`);
  };
  const { exec } = RegExp.prototype;
  const text = String.prototype as unknown as Record<string, (...given: unknown[]) => unknown>;
  const native = Object.fromEntries(READERS.map((name) => [name, text[name]]));
  const restore = () => {
    RegExp.prototype.exec = exec;
    Object.assign(text, native);
  };
  RegExp.prototype.exec = function counted(given: string) {
    restore();
    try {
      const { lastIndex } = this;
      const found = exec.call(this, given);
      const from = this.global || this.sticky ? lastIndex : 0;
      const end = matchEnd(this, String(given), from, count);
      const expected = found && found.index + found[0].length;
      if (end !== expected) throw new Error(`${String(this)} ends at ${end}, not at ${expected}`);
      return found;
    } finally {
      patch();
    }
  };
  const counting = RegExp.prototype.exec;
  const patch = () => {
    RegExp.prototype.exec = counting;
    for (const name of READERS)
      text[name] = function counted(this: string, ...given: unknown[]) {
        restore();
        try {
          const result = native[name]?.apply(this, given);
          count(1 + read(name, this.length, Number(given[1] ?? 0), result));
          return result;
        } finally {
          patch();
        }
      };
  };
  patch();
  try {
    work();
  } finally {
    restore();
  }
  return steps;
}

/** How many characters a method of a text has read: a search those up to what it finds, a part those of the part. */
function read(method: (typeof READERS)[number], length: number, from: number, result: unknown) {
  if (method === 'slice') return String(result).length;
  if (method !== 'indexOf') return length;
  return Math.max(0, (Number(result) < 0 ? length : Number(result)) - from);
}

/** One instruction of a backtracking matcher. */
type Instruction =
  | { op: 'character'; fits: RegExp }
  /** Goes on at the first; later, if that fails, at the second. */
  | { op: 'split'; to: [number, number] }
  | { op: 'jump'; to: number }
  | { op: 'save'; group: AST.CapturingGroup; edge: 0 | 1 }
  | { op: 'again'; group: AST.CapturingGroup | undefined }
  | { op: 'edge'; holds: (text: string, at: number) => boolean }
  | { op: 'look'; program: Instruction[]; longest: number | null; negate: boolean };

const parser = new RegExpParser();
const programs = new Map<string, Instruction[]>();

/** Where the first match from `from` on ends, as a backtracking engine finds it; null: there is none. */
function matchEnd(
  { source, flags, sticky, unicode }: RegExp,
  text: string,
  from: number,
  count: (steps: number) => void,
): number | null {
  const key = `${flags} ${source}`;
  let program = programs.get(key);
  if (!program) {
    const { alternatives } = parser.parsePattern(source, 0, source.length, { unicode });
    programs.set(key, (program = oneOf(alternatives, flags, 0)));
  }
  for (let start = from; start <= text.length; start++) {
    const end = run(program, text, start, flags, count);
    if (end !== null || sticky) return end;
    if (unicode && (text.codePointAt(start) ?? 0) > 0xffff) start++;
  }
  return null;
}

type Saved = ReadonlyMap<AST.CapturingGroup | undefined, readonly [number, number]>;

/** @param wantedEnd where the match has to end; undefined: anywhere */
function run(
  program: Instruction[],
  text: string,
  start: number,
  flags: string,
  count: (steps: number) => void,
  wantedEnd?: number,
): number | null {
  const tries: [pc: number, at: number, saved: Saved][] = [[0, start, new Map()]];
  for (let next = tries.pop(); next; next = tries.pop()) {
    let [pc, at, saved] = next;
    for (let instruction = program[pc]; ; instruction = program[pc]) {
      if (!instruction) {
        if (wantedEnd === undefined || at === wantedEnd) return at;
        break;
      }
      count(1);
      pc++;
      if (instruction.op === 'jump') pc = instruction.to;
      else if (instruction.op === 'split') {
        tries.push([instruction.to[1], at, saved]);
        pc = instruction.to[0];
      } else if (instruction.op === 'save') {
        const [from] = saved.get(instruction.group) ?? [at];
        const span = instruction.edge === 0 ? ([at, at] as const) : ([from, at] as const);
        saved = new Map(saved).set(instruction.group, span);
      } else if (instruction.op === 'character') {
        const code = flags.includes('u') ? text.codePointAt(at) : text.charCodeAt(at);
        if (at >= text.length || code === undefined) break;
        const character = String.fromCodePoint(code);
        if (!instruction.fits.test(character)) break;
        at += character.length;
      } else if (instruction.op === 'again') {
        const said = text.slice(...(saved.get(instruction.group) ?? [0, 0]));
        count(said.length);
        if (fold(said, flags) !== fold(text.slice(at, at + said.length), flags)) break;
        at += said.length;
      } else if (instruction.op === 'edge') {
        if (!instruction.holds(text, at)) break;
      } else if (looks(instruction, text, at, flags, count) === instruction.negate) break;
    }
  }
  return null;
}

const fold = (text: string, flags: string) => (flags.includes('i') ? text.toLowerCase() : text);

/** Ahead from here, or behind: our expressions that look behind are short, so every beginning is tried. */
function looks(
  { program, longest }: Extract<Instruction, { op: 'look' }>,
  text: string,
  at: number,
  flags: string,
  count: (steps: number) => void,
): boolean {
  if (longest === null) return run(program, text, at, flags, count) !== null;
  for (let from = at; from >= Math.max(0, at - longest); from--)
    if (run(program, text, from, flags, count, at) !== null) return true;
  return false;
}

/* Each part becomes instructions that begin at `base`. */

const oneOf = (alternatives: AST.Alternative[], flags: string, base: number): Instruction[] => {
  const [first, ...others] = alternatives;
  if (!first) return [];
  if (others.length === 0) return inOrder(first.elements, flags, base);
  const head = inOrder(first.elements, flags, base + 1);
  const other = base + 1 + head.length + 1;
  const tail = oneOf(others, flags, other);
  return [
    { op: 'split', to: [base + 1, other] },
    ...head,
    { op: 'jump', to: other + tail.length },
    ...tail,
  ];
};

const inOrder = (elements: AST.Element[], flags: string, base: number): Instruction[] => {
  const program: Instruction[] = [];
  for (const element of elements) program.push(...compiled(element, flags, base + program.length));
  return program;
};

function compiled(element: AST.Element, flags: string, base: number): Instruction[] {
  switch (element.type) {
    case 'Group':
      return oneOf(element.alternatives, flags, base);
    case 'CapturingGroup':
      return [
        { op: 'save', group: element, edge: 0 },
        ...oneOf(element.alternatives, flags, base + 1),
        { op: 'save', group: element, edge: 1 },
      ];
    case 'Backreference':
      return [{ op: 'again', group: [element.resolved].flat()[0] }];
    case 'Quantifier':
      return repeated(element, flags, base);
    case 'Assertion':
      return [assertion(element, flags)];
    default: {
      const kept = flags.replace(/[^uis]/g, '');
      return [{ op: 'character', fits: new RegExp(`^${element.raw}$`, kept) }];
    }
  }
}

function repeated(
  { min, max, greedy, element }: AST.Quantifier,
  flags: string,
  base: number,
): Instruction[] {
  const program: Instruction[] = [];
  const add = (...more: Instruction[]) => void program.push(...more);
  const here = () => base + program.length;
  const split = (body: number, end: number): Instruction => ({
    op: 'split',
    to: greedy ? [body, end] : [end, body],
  });
  for (let n = 0; n < min; n++) add(...compiled(element, flags, here()));
  const length = compiled(element, flags, 0).length;
  if (max === Infinity) {
    const loop = here();
    add(split(loop + 1, loop + length + 2), ...compiled(element, flags, loop + 1));
    add({ op: 'jump', to: loop });
  } else {
    const end = here() + (max - min) * (length + 1);
    for (let n = min; n < max; n++) {
      add(split(here() + 1, end));
      add(...compiled(element, flags, here()));
    }
  }
  return program;
}

function assertion(element: AST.Assertion, flags: string): Instruction {
  switch (element.kind) {
    case 'start':
      return {
        op: 'edge',
        holds: (text, at) => at === 0 || (flags.includes('m') && text[at - 1] === '\n'),
      };
    case 'end':
      return {
        op: 'edge',
        holds: (text, at) => at === text.length || (flags.includes('m') && text[at] === '\n'),
      };
    case 'word': {
      const word = new RegExp('^\\w$', flags.replace(/[^ui]/g, ''));
      const isWord = (text: string, at: number) => word.test(text[at] ?? '');
      return {
        op: 'edge',
        holds: (text, at) => (isWord(text, at) !== isWord(text, at - 1)) !== element.negate,
      };
    }
    case 'lookahead':
    case 'lookbehind': {
      const longest = Math.max(...element.alternatives.map(({ elements }) => 2 * elements.length));
      return {
        op: 'look',
        program: oneOf(element.alternatives, flags, 0),
        longest: element.kind === 'lookbehind' ? longest : null,
        negate: element.negate,
      };
    }
  }
}
