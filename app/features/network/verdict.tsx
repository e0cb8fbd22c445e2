import type { NetworkSummary, RoleSummary } from '#server/network/truth.ts';
import { VerdictCard } from '#app/ui/verdict-card.tsx';

const signatures = ({ keys, threshold }: RoleSummary) =>
  `${keys.filter(({ signed }) => signed).length} of ${keys.length} keys have signed it, ${threshold} needed.`;

/** Whether peers believe what is published, in one sentence. */
export function Verdict({ network }: { network: NetworkSummary }) {
  const { at, stale, truth, root } = network;
  if (!stale)
    return (
      <VerdictCard
        status="online"
        headline={`Truth ${truth.version} is in force`}
        text={`${signatures(root.roles.truth)} This service has checked the signatures of every root and of the truth.`}
      />
    );
  const expired = Date.parse(truth.expires) <= Date.parse(at) ? 'truth' : 'root';
  return (
    <VerdictCard
      status="idle"
      headline={`The ${expired} has expired`}
      text="No newer one has been published. Peers go on with what they have, and know that newer bans may be kept from them."
    />
  );
}
