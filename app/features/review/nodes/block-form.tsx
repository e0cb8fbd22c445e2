import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm } from '#app/ui/form.tsx';
import { ReasonField } from '../reason-form.tsx';
import { NodeIdField } from './node-id-field.tsx';

/** Blocks a node. @param node the id to fill in */
export function BlockForm({ node, problem }: { node: string; problem: FormError | undefined }) {
  return (
    <ActionForm intent="block" problem={problem} submitLabel="Block" look="primary">
      <NodeIdField node={node} />
      <ReasonField />
    </ActionForm>
  );
}
