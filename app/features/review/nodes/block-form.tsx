import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import { ReasonField } from '../reason-form.tsx';

/** Blocks a node. @param node the id to fill in */
export function BlockForm({ node, problem }: { node: string; problem: FormError | undefined }) {
  return (
    <ActionForm intent="block" problem={problem} submitLabel="Block" look="primary">
      <TextField
        label="Node ID"
        name="nodeId"
        pattern="[a-zA-Z0-9_\-]{2,64}"
        title="2–64 characters: a–z, A–Z, 0–9, - and _"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        defaultValue={node}
        required
      />
      <ReasonField />
    </ActionForm>
  );
}
