import type { z } from 'zod';

/** What is wrong with a value: the field, if it is one of an object, and why. Without a full stop. */
export function issueText(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return '';
  const field = issue.path.join('.');
  return field === '' ? issue.message : `${field} ${issue.message}`;
}
