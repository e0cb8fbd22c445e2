import { useId, useMemo, type ReactNode } from 'react';
import { NODE_CLASSES } from '@mesh-registry/protocol/values.schema.ts';
import type { TrendDay, Trends } from '#server/uptime/index.ts';
import { count, counted, dateText, nodes, percent } from '#app/lib/formatters.ts';
import { scaleOf } from '#app/ui/chart-scale.ts';
import { axisDates, compared, nodesFinding } from '#app/ui/chart-text.ts';
import { DayChart, type DayLine } from '#app/ui/day-chart.tsx';
import type { DayPicker } from '#app/ui/day-picker.ts';
import { Multiples } from '#app/ui/multiples.tsx';
import styles from './trends-charts.module.css';
import * as texts from './trends-text.ts';

interface ChartsProps {
  trends: Trends;
  days: DayPicker;
}

/** States that have a line: online is in the heading, as the rest of all nodes. */
const REST = ['idle', 'offline', 'syncing'] as const;
const DASH = { S: undefined, M: 'long', L: 'short' } as const;
/** Regions that have a chart, the largest first. */
const REGIONS_MAX = 6;

/** One chart for each thing that is counted; what the service doesn't know yet is left out. */
export function TrendsCharts({ trends, days }: ChartsProps) {
  const drawn = useMemo(() => linesOf(trends), [trends]);
  const { dates } = drawn;
  const chosen = trends.days[days.chosen];
  if (!chosen) return null;
  const date = dateText(chosen.day);
  const say = (words: string) => `${date}: ${words}`;
  const away = 'not measured';
  const known = (value: number | null, words: (n: number) => string) =>
    value === null ? away : words(value);
  const common = { days, dates };
  const from = (values: readonly (number | null)[]) => {
    const { from } = scaleOf([values], false);
    return from > 0 ? `, from ${count(from)} up` : '';
  };
  const { joined, left } = chosen;
  return (
    <div className={styles.grid}>
      <ChartSection
        first
        wide
        title={nodesFinding(drawn.nodes.values, trends.before?.nodes ?? null)}
        note={`Total${from(drawn.nodes.values)}. Below it, nodes that joined and left each day.`}
      >
        <DayChart
          {...common}
          label="Nodes by day"
          size="bars"
          fromZero={false}
          lines={drawn.nodeLines}
          bars={drawn.bars}
          text={say(
            known(chosen.nodes, (n) => `${nodes(n)}, ${joined ?? 0} joined, ${left ?? 0} left`),
          )}
        />
      </ChartSection>
      <ChartSection
        first
        title={texts.onlineFinding(
          drawn.online,
          trends.before && texts.shareOf(trends.before, 'online'),
        )}
        note="The rest, as a share of all nodes in percent."
      >
        <DayChart
          {...common}
          label="Share of nodes that are idle, offline or syncing"
          size="tall"
          lines={drawn.rest}
          format={(points) => percent(points / 100)}
          text={say(
            known(chosen.nodes, () =>
              REST.map((status) => `${percent(texts.shareOf(chosen, status) ?? 0)} ${status}`).join(
                ', ',
              ),
            ),
          )}
        />
      </ChartSection>
      {drawn.regions.length > 0 && (
        <ChartSection
          wide
          title={texts.regionFinding(drawn.regions)}
          note={`Nodes by region and the change in ${days.count} days. Each line has its own scale.`}
        >
          <Multiples
            label="Nodes by region"
            days={days}
            charts={drawn.regions}
            text={say(
              drawn.regions
                .map(({ name, values }) =>
                  known(values[days.chosen] ?? null, (n) => `${name} ${count(n)}`),
                )
                .join(', '),
            )}
          />
        </ChartSection>
      )}
      {drawn.classes.length > 0 && (
        <ChartSection title={texts.classFinding(drawn.lastClasses)} note="Nodes by class.">
          <DayChart
            {...common}
            label="Nodes by class"
            size="lower"
            lines={drawn.classes}
            text={say(
              chosen.class
                ? NODE_CLASSES.map(
                    (size) => `${count(chosen.class?.[size] ?? 0)} ${texts.className(size)}`,
                  ).join(', ')
                : away,
            )}
          />
        </ChartSection>
      )}
      <ChartSection
        half
        title={texts.slotsFinding(drawn.slots, drawn.offers)}
        note={
          drawn.slotLines.length > 1
            ? 'Compute offers and their free slots.'
            : 'Free slots of compute offers that are available.'
        }
      >
        <DayChart
          {...common}
          label={drawn.slotLines.map(({ name }) => name).join(' and ')}
          size="low"
          lines={drawn.slotLines}
          text={say(
            known(
              chosen.freeSlots,
              (n) =>
                counted(n, 'free slot') +
                (chosen.offers === null ? '' : ` in ${counted(chosen.offers, 'offer')}`),
            ),
          )}
        />
      </ChartSection>
      {drawn.names.length > 0 && (
        <ChartSection
          half
          title={texts.namesFinding(drawn.names[0]?.values ?? [])}
          note={`Active names, mean of each day${from(drawn.names[0]?.values ?? [])}.`}
        >
          <DayChart
            {...common}
            label="Active names"
            size="low"
            fromZero={false}
            lines={drawn.names}
            text={say(known(chosen.names, (n) => counted(n, 'active name')))}
          />
        </ChartSection>
      )}
    </div>
  );
}

interface ChartSectionProps {
  title: string;
  note: string;
  /** Seven of twelve columns, or six; otherwise five. */
  wide?: boolean;
  half?: boolean;
  /** In the row below the chosen day. */
  first?: boolean;
  children: ReactNode;
}

function ChartSection({ title, note, first, wide, half, children }: ChartSectionProps) {
  const id = useId();
  return (
    <section
      className={styles.section}
      data-width={wide ? 'wide' : half ? 'half' : undefined}
      data-row={first ? 'first' : undefined}
      aria-labelledby={id}
    >
      <h2 id={id}>{title}</h2>
      <p>{note}</p>
      {children}
    </section>
  );
}

/** What the charts draw. The same objects while the chosen day moves. */
function linesOf({ days, before, today }: Trends) {
  const values = (of: (day: TrendDay) => number | null) => days.map(of);
  const line = (
    name: string,
    of: (day: TrendDay) => number | null,
  ): Pick<DayLine, 'name' | 'values'> => ({
    name,
    values: values(of),
  });
  const kept = (lines: DayLine[]) =>
    lines.filter(({ values }) => values.some((value) => value !== null));
  const all = line('', ({ nodes }) => nodes);
  const points = (day: TrendDay, status: (typeof REST)[number]) => {
    const share = texts.shareOf(day, status);
    return share === null ? null : share * 100;
  };
  const slots = line('free slots', ({ freeSlots }) => freeSlots);
  const offers = line('offers', (day) => day.offers);
  const lastRegions = days.findLast((day) => day.regions !== null)?.regions ?? {};
  const regions = Object.entries(lastRegions)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, REGIONS_MAX)
    .map(([code]) => {
      const inRegion = (day: TrendDay | null) => (day?.regions ? (day.regions[code] ?? 0) : null);
      const values = days.map(inRegion);
      const change = compared(values, inRegion(before));
      return {
        name: texts.regionLabel(code),
        values,
        change: change && change.now - change.then,
      };
    });
  return {
    dates: axisDates(
      days.map(({ day }) => day),
      today,
    ),
    nodes: all,
    nodeLines: [{ ...all, tone: 'online' as const }],
    bars: { up: values(({ joined }) => joined), down: values(({ left }) => left) },
    online: values((day) => texts.shareOf(day, 'online')),
    rest: REST.map((status): DayLine => ({
      ...line(status, (day) => points(day, status)),
      tone: status,
      glyph: status,
    })),
    regions,
    classes: kept(
      NODE_CLASSES.map((size): DayLine => ({
        ...line(texts.className(size), (day) => day.class?.[size] ?? null),
        tone: 'ink',
        ...(DASH[size] && { dash: DASH[size] }),
      })),
    ),
    lastClasses: days.findLast((day) => day.class !== null)?.class ?? null,
    slots: slots.values,
    offers: offers.values,
    slotLines: kept([
      { ...slots, tone: 'online', area: true },
      { ...offers, tone: 'ink' },
    ]),
    names: kept([{ ...line('active', ({ names }) => names), tone: 'accent' }]),
  };
}
