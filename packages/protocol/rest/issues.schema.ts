import { z } from 'zod';

/** Which field is at fault, and how: in the body of an error, and in its sentence. */

export const Issue = z
  .object({
    path: z.string().meta({ description: 'The invalid field.', example: 'computes[3].replicas' }),
    message: z.string().meta({ description: 'What is wrong with it, or what it must be.' }),
    suggestion: z.string().optional().meta({
      description: 'A value that would be accepted instead, where there is a close one.',
      example: 'Werkstatt 3',
    }),
  })
  .meta({ id: 'Issue' });
export type Issue = z.infer<typeof Issue>;

/** `['computes', 3, 'replicas']` → `computes[3].replicas`. */
export function issuePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number'
        ? `${text}[${key}]`
        : text === ''
          ? String(key)
          : `${text}.${String(key)}`,
    '',
  );
}

const REQUIRED = 'is required';

/**
 * One issue for each invalid field. A field that the input lacks "is required", whatever its schema says of
 * its type.
 */
export function issuesOf(error: z.ZodError, input: unknown): Issue[] {
  return error.issues.map(({ code, path, message }) => {
    const missing = code !== 'custom' && isMissing(input, path);
    // A schema may add what the field must be: "is required: start or confirm".
    const required = missing && !message.startsWith(REQUIRED);
    return { path: issuePath(path), message: required ? REQUIRED : message };
  });
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = Object.hasOwn(value, key) ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return path.length > 0 && value === undefined;
}

/** Fields that a sentence names for one problem, and problems that it names. */
const FIELDS_MAX = 4;
const PROBLEMS_MAX = 3;

/**
 * All issues in one sentence: "lat and lng are required, and nodeId must be 2 to 64 of a-z A-Z 0-9 _ -."
 * Messages are predicates: "is required", "must be a number".
 * @param whole what an issue without a path is about: "The body"
 */
export function describeIssues(issues: readonly Issue[], whole: string): string {
  const firstOfField = new Map<string, string>();
  for (const { path, message } of issues)
    if (!firstOfField.has(path)) firstOfField.set(path, message);

  const problems: { fields: string[]; message: string }[] = [];
  for (const [path, message] of firstOfField) {
    const field = path || whole;
    const same = problems.find((problem) => problem.message === message);
    if (same && hasPlural(message)) same.fields.push(field);
    else problems.push({ fields: [field], message });
  }

  const clauses = problems
    .slice(0, PROBLEMS_MAX)
    .map(({ fields, message }) =>
      fields.length === 1 ? `${fields[0]} ${message}` : `${listed(fields)} ${pluralOf(message)}`,
    );
  const unnamed = problems.slice(PROBLEMS_MAX).flatMap(({ fields }) => fields).length;
  if (unnamed > 0)
    clauses.push(unnamed === 1 ? '1 more field is invalid' : `${unnamed} more fields are invalid`);
  return `${joined(clauses)}.`;
}

const hasPlural = (message: string) => /^(is (?!an? )|was |has |must )/.test(message);

const pluralOf = (message: string) =>
  message
    .replace(/^is /, 'are ')
    .replace(/^was /, 'were ')
    .replace(/^has /, 'have ')
    .replace(/^must (?=be|have)/, 'must each ');

function listed(fields: string[]): string {
  const hidden = fields.length - FIELDS_MAX;
  const shown = hidden > 0 ? [...fields.slice(0, FIELDS_MAX), `${hidden} more`] : fields;
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

const joined = (clauses: string[]) =>
  clauses.length < 3
    ? clauses.join(', and ')
    : `${clauses.slice(0, -1).join('; ')}; and ${clauses.at(-1)}`;

/** What is wrong with a value: the field, if it is one of an object, and why. Without a full stop. */
export function issueText(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return '';
  const field = issue.path.join('.');
  return field === '' ? issue.message : `${field} ${issue.message}`;
}

/**
 * A value of a shape.
 * @param what names it in the sentence that says what is wrong: "The root"
 * @param errorOf makes the error that is thrown from that sentence
 */
export function parseAs<T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: string,
  errorOf: (message: string) => Error,
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw errorOf(`${what}: ${issueText(result.error.issues[0])}.`);
}

/** The same of a text that must be JSON. */
export function parseJsonAs<T>(
  schema: z.ZodType<T>,
  text: string,
  what: string,
  errorOf: (message: string) => Error,
): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw errorOf(`${what} is not JSON.`);
  }
  return parseAs(schema, value, what, errorOf);
}
