import * as L from './leaflet.client.ts';
import { CELLS, type Place, type PulseTuple } from '#server/mesh/places.schema.ts';
import type { MeshStore, StoreChange } from '#app/features/live/live-store.ts';
import { stateColor } from '#app/ui/state-glyph.tsx';
import { RADIUS } from '#app/ui/status-shapes.ts';
import { boxAround } from './marker-hits.ts';
import type { Markers } from './markers.ts';
import { latAt, lngAt, project, xInWorld, type LatLng } from './mercator.ts';
import styles from './pulse.module.css';

/**
 * Most pulses at a time: a large network has hundreds of heartbeats a second, and a few show that it is alive. The texts
 * of more welcomes would overlap.
 */
const MOST = { heartbeat: 8, welcome: 2 };

/** How far from a place the marker that it is a part of may be, CSS px. */
const REACH = 120;
/** An arc shorter than this is not drawn, px. */
const ARC_LEAST = 40;
/** How far an arc rises, as a share of its length. */
const ARC_RISE = 0.3;
const SVG = 'http://www.w3.org/2000/svg';

/** Two rings around the marker where a heartbeat arrived, and a welcome where a node joined, with an arc from Genesis. The style sheet animates each of them once. */
export class PulseLayer extends L.Layer {
  #unfollow: (() => void) | undefined;

  constructor(
    private readonly store: MeshStore,
    private readonly markers: Markers,
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
    if (document.hidden || !this.markers.shows(heard)) return;
    const [lat, lng, , cell] = heard;
    const pulse = document.createElement('div');
    pulse.className = `${styles.pulse} ${stateColor(CELLS[cell]?.status ?? 'online')}`;
    pulse.dataset['pulse'] = welcome ? 'welcome' : 'heartbeat';
    const { x, y, radius } = this.#markerAt({ lat, lng });
    pulse.style.setProperty('--from', `${2 * radius + 6}px`);
    const at = this._map.latLngToLayerPoint([latAt(y), lngAt(x)]);
    if (welcome) {
      this.#drawArc(at);
      const text = document.createElement('span');
      text.textContent = welcome;
      pulse.append(text);
    }
    L.DomUtil.setPosition(pulse, at);
    pulse.addEventListener('animationend', ({ target }) => target === pulse && pulse.remove());
    this.getPane()?.append(pulse);
  }

  /** What the place is a part of, px at zoom 0, and its radius, CSS px. */
  #markerAt({ lat, lng }: LatLng): { x: number; y: number; radius: number } {
    const scale = this._map.getZoomScale(this._map.getZoom(), 0);
    const { x, y } = project(lat, lng);
    const place = { x: xInWorld(x, this.markers.cut), y };
    const near = this.markers.within(boxAround(place, REACH / scale), scale);
    return (
      near.find(({ points }) => points.some((one) => one.lat === lat && one.lng === lng)) ?? {
        ...place,
        radius: RADIUS.S,
      }
    );
  }

  /** From Genesis to a new node, where Genesis is on the map. */
  #drawArc(to: L.Point): void {
    const { genesis, genesisPlaced } = this.store.head;
    if (!genesisPlaced) return;
    const { x, y } = project(genesis.lat, genesis.lng);
    const from = this._map.latLngToLayerPoint([latAt(y), lngAt(xInWorld(x, this.markers.cut))]);
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
