import type { NameDetails as Details } from '#server/registry/index.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { SimilarIds } from '#server/live/index.ts';
import { registeredInWords } from '#app/features/mesh/registered-facts.ts';
import { SimilarNodes } from '#app/features/mesh/similar-nodes.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { CLASS_WORDS, percent } from '#app/lib/formatters.ts';
import { FactList } from '#app/ui/fact-list.tsx';
import { Link } from '#app/ui/link.tsx';
import { Region } from '#app/ui/region.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';

interface NameDetailsProps {
  entry: RegistryEntry;
  compute: Details['compute'];
  /** What was registered, where its node says something else by now. */
  registered: Details['registered'];
  /** Nodes whose ids differ from that of its node only in the case of letters. */
  similar: SimilarIds;
  /** The share of the last 30 days in which its offer was announced; null if it isn't known. */
  announced: number | null;
}

/** What its node and its offer are, and what was registered otherwise. */
export function NameDetails({ entry, compute, registered, similar, announced }: NameDetailsProps) {
  const { region, class: size, nodeId } = entry;
  const otherwise = registeredInWords(registered);
  return (
    <Section title="Details">
      <FactList
        facts={[
          {
            term: 'Node ID',
            value: (
              <>
                <Link to={hrefs.node(nodeId)}>
                  <code>{nodeId}</code>
                </Link>
                {similar.count > 0 && (
                  <span className={text.remark}>
                    <SimilarNodes {...similar} />
                  </span>
                )}
              </>
            ),
          },
          { term: 'Class', value: CLASS_WORDS[size] },
          { term: 'Region', value: <Region code={region} /> },
          otherwise === '' ? null : { term: 'Registered as', value: otherwise },
          compute && { term: 'Backend', value: compute.backend },
          compute && { term: 'Visibility', value: compute.visibility },
          compute && announced !== null
            ? { term: 'Announced', value: `${percent(announced)} of 30 days` }
            : null,
        ]}
      />
    </Section>
  );
}
