import type { LoaderFunctionArgs } from '@remix-run/node';
import { Outlet } from '@remix-run/react';
import { requireReviewer } from '../review.server.ts';

/** The frame of what reviewers see: who is signed in, for the pages below. */
export async function loader(args: LoaderFunctionArgs) {
  const { name, email, role } = await requireReviewer(args);
  return { reviewer: { name, email, role } };
}

export const headers = () => ({ 'x-robots-tag': 'noindex' });

export default function Review() {
  return <Outlet />;
}
