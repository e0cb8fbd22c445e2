import * as L from './leaflet.client.ts';
import { CELLS, type Place, type PulseTuple } from '#server/mesh/places.schema.ts';
import type { Listener, MeshStore } from '#app/features/live/live-store.ts';
import { statusColor } from '#app/ui/status-icon.tsx';
import styles from './pulse.module.css';

/** Most pulses at a time. A large network has hundreds of heartbeats a second; a few show that it is alive. */
const PULSES = 8;
/** Most welcomes at a time, because their texts would overlap. */
const WELCOMES = 2;

/** An arc shorter than this is not drawn, px. */
const ARC_LEAST = 40;
/** How far an arc rises, as a share of its length. */
const ARC_RISE = 0.3;
const SVG = 'http://www.w3.org/2000/svg';

/** A pulse where a heartbeat arrived, and a welcome where a node joined, with an arc from Genesis. The style sheet animates each of them once. */
export class PulseLayer extends L.Layer {
  #unfollow: (() => void) | undefined;
  #pulses = 0;
  #welcomes = 0;

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
    const clear = () => {
      this.getPane()?.replaceChildren();
      this.#pulses = this.#welcomes = 0;
    };
    // Their positions are those of the old zoom, and they end in a moment anyway.
    return { zoomstart: clear, viewreset: clear };
  }

  #update({ pulses }: Parameters<Listener<Place>>[0]): void {
    for (const pulse of pulses) {
      const joined = pulse[4];
      if (joined !== undefined && this.#welcomes < WELCOMES) this.#show(pulse, `${joined} joined`);
      else if (this.#pulses < PULSES) this.#show(pulse);
    }
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
      this.#welcomes++;
    } else this.#pulses++;
    L.DomUtil.setPosition(pulse, this._map.latLngToLayerPoint([lat, lng + this.#worldOf(lng)]));
    pulse.addEventListener('animationend', ({ target }) => {
      if (target !== pulse) return;
      pulse.remove();
      if (welcome) this.#welcomes = Math.max(0, this.#welcomes - 1);
      else this.#pulses = Math.max(0, this.#pulses - 1);
    });
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
