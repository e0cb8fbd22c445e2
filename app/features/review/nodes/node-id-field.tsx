import { TextField } from '#app/ui/form.tsx';

/** @param node the id to fill in; may be empty */
export const NodeIdField = ({ node }: { node: string }) => (
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
);
