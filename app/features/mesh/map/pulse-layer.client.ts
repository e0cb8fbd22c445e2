import * as L from './leaflet.client.ts';
import { CELLS, type Place, type PulseTuple } from '#server/mesh/places.schema.ts';
import type { Listener, MeshStore } from '#app/features/live/live-store.ts';
import { statusColor } from '#app/ui/status-icon.tsx';
import styles from './pulse.module.css';

/** Most pulses at a time. A large network has hundreds of heartbeats a second; a few show that it is alive. */
const PULSES = 8;
/** Most welcomes at a time, because their texts would overlap. */
const WELCOMES = 2;

/** A pulse where a heartbeat arrived and a welcome where a node joined. The style sheet animates each of them once. */
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
      const text = document.createElement('span');
      text.textContent = welcome;
      pulse.append(text);
      this.#welcomes++;
    } else this.#pulses++;
    // In the copy of the world at the centre of the view.
    const world = Math.round((this._map.getCenter().lng - lng) / 360) * 360;
    L.DomUtil.setPosition(pulse, this._map.latLngToLayerPoint([lat, lng + world]));
    pulse.addEventListener('animationend', ({ target }) => {
      if (target !== pulse) return;
      pulse.remove();
      if (welcome) this.#welcomes = Math.max(0, this.#welcomes - 1);
      else this.#pulses = Math.max(0, this.#pulses - 1);
    });
    this.getPane()?.append(pulse);
  }
}
