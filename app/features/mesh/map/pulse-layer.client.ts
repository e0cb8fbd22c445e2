import * as L from './leaflet.client.ts';
import { CELLS, type Place, type PulseTuple } from '#server/mesh/places.schema.ts';
import type { MeshStore, StoreChange } from '#app/features/live/live-store.ts';
import { statusColor } from '#app/ui/status-icon.tsx';
import styles from './pulse.module.css';

/**
 * Most pulses at a time: a large network has hundreds of heartbeats a second, and a few show that it is alive. The texts
 * of more welcomes would overlap.
 */
const MOST = { heartbeat: 8, welcome: 2 };

/** An arc shorter than this is not drawn, px. */
const ARC_LEAST = 40;
/** How far an arc rises, as a share of its length. */
const ARC_RISE = 0.3;
const SVG = 'http://www.w3.org/2000/svg';

/** A pulse where a heartbeat arrived, and a welcome where a node joined, with an arc from Genesis. The style sheet animates each of them once. */
export class PulseLayer extends L.Layer {
  #unfollow: (() => void) | undefined;

  constructor(
    private readonly store: MeshStore,
    /** Whether the node is on the map, which filters can hide. */
    private readonly shows: (pulse: PulseTuple) => boolean,
  ) {
    super();
    L.setOptions(this, { pane: 'shadowPane' });
  }

  override onAdd(): this {
    this.#unfollow = this.store.subscribe((change) => this.#update(change));
    return this;
  }

  override onRemove(): this {
    this.#unfollow?.();
    this.getPane()?.replaceChildren();
    return this;
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    const clear = () => this.getPane()?.replaceChildren();
    // Their positions are those of the old zoom, and they end in a moment anyway.
    return { zoomstart: clear, viewreset: clear };
  }

  #update({ pulses }: StoreChange<Place>): void {
    for (const pulse of pulses) {
      const joined = pulse[4];
      if (joined !== undefined && this.#hasRoom('welcome')) this.#show(pulse, `${joined} joined`);
      else if (this.#hasRoom('heartbeat')) this.#show(pulse);
    }
  }

  #hasRoom(kind: keyof typeof MOST): boolean {
    const shown = this.getPane()?.querySelectorAll(`[data-pulse='${kind}']`);
    return shown !== undefined && shown.length < MOST[kind];
  }

  #show(heard: PulseTuple, welcome?: string): void {
    if (document.hidden || !this.shows(heard)) return;
    const [lat, lng, , cell] = heard;
    const pulse = document.createElement('div');
    pulse.className = `${styles.pulse} ${statusColor(CELLS[cell]?.status ?? 'online')}`;
    pulse.dataset['pulse'] = welcome ? 'welcome' : 'heartbeat';
    if (welcome) {
      this.#drawArc([lat, lng + this.#worldOf(lng)]);
      const text = document.createElement('span');
      text.textContent = welcome;
      pulse.append(text);
    }
    L.DomUtil.setPosition(pulse, this._map.latLngToLayerPoint([lat, lng + this.#worldOf(lng)]));
    pulse.addEventListener('animationend', ({ target }) => target === pulse && pulse.remove());
    this.getPane()?.append(pulse);
  }

  /** Degrees to the copy of the world at the centre of the view. */
  #worldOf(lng: number): number {
    return Math.round((this._map.getCenter().lng - lng) / 360) * 360;
  }

  /** From Genesis to a new node, where Genesis is on the map: the shorter way round the world. */
  #drawArc([lat, lng]: [number, number]): void {
    const { genesis, genesisPlaced } = this.store.head;
    if (!genesisPlaced) return;
    const copy = Math.round((lng - genesis.lng) / 360) * 360;
    const from = this._map.latLngToLayerPoint([genesis.lat, genesis.lng + copy]);
    const to = this._map.latLngToLayerPoint([lat, lng]);
    const distance = from.distanceTo(to);
    if (distance < ARC_LEAST) return;
    const svg = document.createElementNS(SVG, 'svg');
    const path = document.createElementNS(SVG, 'path');
    svg.setAttribute('class', styles.arc ?? '');
    const top = (from.y + to.y) / 2 - distance * ARC_RISE;
    path.setAttribute('d', `M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${top} ${to.x} ${to.y}`);
    // The style sheet draws it from 0 to 1.
    path.setAttribute('pathLength', '1');
    svg.append(path);
    svg.addEventListener('animationend', ({ target }) => target === svg && svg.remove());
    this.getPane()?.append(svg);
  }
}
