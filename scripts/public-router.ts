import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * `tsx scripts/public-router.ts FILE`: writes the type of the public procedures for the client's package. The router's own
 * type names schemas and services that only this repository has; here each input and output is spelled out, as JSON
 * carries it, and only @trpc/server is needed.
 */

const root = join(import.meta.dirname, '..');
const [out = join(root, 'build', 'mesh-client', 'trpc.d.ts')] = process.argv.slice(2);

const file = join(root, 'server', 'entry', 'trpc', 'router.ts');
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config,
  ts.sys,
  root,
);
const program = ts.createProgram([file], options);
const checker = program.getTypeChecker();
const source = program.getSourceFile(file);
const exported = source && checker.getSymbolAtLocation(source);
const symbol =
  exported && checker.getExportsOfModule(exported).find(({ name }) => name === 'PublicRouter');
if (!symbol) throw new Error(`${file} exports no PublicRouter`);

/** The type of a property; an optional one without `undefined`. */
function member(type: ts.Type, name: string): ts.Type {
  const property = type.getProperty(name);
  if (!property) throw new Error(`${checker.typeToString(type)} has no ${name}`);
  return checker.getTypeOfSymbol(property);
}

const isKey = (name: string) => /^[A-Za-z_$][\w$]*$/.test(name);
const keyText = (name: string) => (isKey(name) ? name : JSON.stringify(name));

/** A type with everything that it names spelled out. */
function text(type: ts.Type): string {
  const { flags } = type;
  if (type.isStringLiteral()) return JSON.stringify(type.value);
  if (type.isNumberLiteral()) return String(type.value);
  if (type.isUnion()) return unionText(type.types);
  if (type.isIntersection() || flags & ts.TypeFlags.Object) return objectText(type);
  const simple =
    ts.TypeFlags.String |
    ts.TypeFlags.Number |
    ts.TypeFlags.Boolean |
    ts.TypeFlags.BooleanLiteral |
    ts.TypeFlags.Null |
    ts.TypeFlags.Undefined |
    ts.TypeFlags.Void |
    ts.TypeFlags.Unknown |
    ts.TypeFlags.TemplateLiteral |
    ts.TypeFlags.Never;
  if (flags & simple) return checker.typeToString(type);
  throw new Error(`${checker.typeToString(type)} can’t be written for other programs`);
}

function unionText(types: readonly ts.Type[]): string {
  const texts = new Set(types.map(text));
  if (texts.has('true') && texts.has('false')) {
    texts.delete('true');
    texts.delete('false');
    texts.add('boolean');
  }
  return [...texts].map((one) => (one.includes('=>') ? `(${one})` : one)).join(' | ');
}

/** What iterates over the events of a subscription. */
const STREAMS = new Set(['AsyncIterable', 'AsyncGenerator', 'AsyncIterator']);

function objectText(type: ts.Type): string {
  const elements = () => checker.getTypeArguments(type as ts.TypeReference);
  if (checker.isTupleType(type)) return `[${elements().map(text).join(', ')}]`;
  if (checker.isArrayType(type)) return `(${text(elements()[0] as ts.Type)})[]`;
  const name = type.symbol?.name ?? '';
  if (STREAMS.has(name)) return `AsyncIterable<${text(elements()[0] as ts.Type)}>`;
  const properties = checker.getPropertiesOfType(type).map((property) => {
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const value = checker.getTypeOfSymbol(property);
    return `${keyText(property.name)}${optional ? '?' : ''}: ${text(value)}`;
  });
  const indexes = checker
    .getIndexInfosOfType(type)
    .map(({ keyType, type: value }) => `[key: ${text(keyType)}]: ${text(value)}`);
  const members = [...properties, ...indexes];
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

const KIND: Record<string, string> = {
  query: 'TRPCQueryProcedure',
  mutation: 'TRPCMutationProcedure',
  subscription: 'TRPCSubscriptionProcedure',
};

/** The procedures and groups of a router. */
function recordText(record: ts.Type, indent: string): string {
  const lines = checker.getPropertiesOfType(record).map((property) => {
    const type = checker.getTypeOfSymbol(property);
    return `${indent}  ${keyText(property.name)}: ${
      type.getProperty('_def') && member(type, '_def').getProperty('$types')
        ? procedureText(member(type, '_def'))
        : recordText(type, `${indent}  `)
    };`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function procedureText(definition: ts.Type): string {
  const kind = member(definition, 'type');
  const types = member(definition, '$types');
  const name = kind.isStringLiteral() ? KIND[kind.value] : undefined;
  if (!name) throw new Error(`${checker.typeToString(kind)} is no kind of procedure`);
  return `${name}<{ input: ${text(member(types, 'input'))}; output: ${text(member(types, 'output'))}; meta: unknown }>`;
}

const definition = member(checker.getDeclaredTypeOfSymbol(symbol), '_def');
const errorShape = text(member(member(member(definition, '_config'), '$types'), 'errorShape'));
writeFileSync(
  out,
  `import type {
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from '@trpc/server';

/** The public procedures of a Mesh Registry, for createTRPCClient<PublicRouter>(). */
export type PublicRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ${errorShape}; transformer: false },
  ${recordText(member(definition, 'record'), '  ')}
>;
`,
);
