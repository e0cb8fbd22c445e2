// Generated from the OpenAPI document by `npm run client:types`. Change the schemas of the server instead.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /**
     * @example {
     *       "nodeId": "node_macmini",
     *       "lat": 37.7,
     *       "lng": -122.4,
     *       "label": "garage",
     *       "class": "M",
     *       "region": "NA"
     *     }
     */
    Ping: {
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      /**
       * @description WGS84, degrees.
       * @example 37.5
       */
      lat: number;
      /**
       * @description WGS84, degrees.
       * @example -122.5
       */
      lng: number;
      /**
       * @description At most 64 characters: letters and digits of any script, space and . _ - ' ( ) # & + , — markup is removed, and a label that looks like an address is dropped.
       * @example garage
       */
      label?: string;
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class?: 'S' | 'M' | 'L';
      /**
       * @description Region code. ZZ means unknown.
       * @example NA
       */
      region?: string;
      /**
       * @description Default: online.
       * @enum {string}
       */
      status?: 'online' | 'syncing' | 'idle' | 'offline';
    };
    KeyRotation: {
      /**
       * @description The new key.
       * @example JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs
       */
      key: string;
      /** @description Signed by the new key: a JSON object with network, action "rotate", nodeId, key, previous, created and nonce. */
      proof: components['schemas']['DsseEnvelope'];
    };
    DsseEnvelope: {
      payloadType: string;
      /**
       * Format: base64
       * @description The signed bytes, in base64.
       */
      payload: string;
      signatures: {
        /** @description The public key that made the signature, as text. */
        keyid: string;
        /** Format: base64 */
        sig: string;
      }[];
    };
    /**
     * @example {
     *       "nodeId": "node_macmini",
     *       "label": "garage",
     *       "computes": [
     *         {
     *           "name": "garage",
     *           "image": "ghcr.io/acme/llama:3.1",
     *           "visibility": "public",
     *           "class": "M",
     *           "backend": "docker",
     *           "replicas": 4,
     *           "freeSlots": 2
     *         }
     *       ]
     *     }
     */
    Announce: {
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      /**
       * @description Display label of the node, by the same rules as in a ping.
       * @example garage
       */
      label?: string;
      computes: components['schemas']['AnnouncedCompute'][];
    };
    AnnouncedCompute: {
      /**
       * @description Public name: 2 to 32 characters: a-z, 0-9, - and _, starting and ending with a letter or digit. Uppercase is converted.
       * @example garage
       */
      name: string;
      /**
       * @description OCI reference or plain label. It grants no permission to pull the image.
       * @default
       * @example ghcr.io/acme/llama:3.1
       */
      image?: string;
      /**
       * @default private
       * @enum {string}
       */
      visibility?: 'public' | 'private';
      /**
       * @description Size class.
       * @default S
       * @example M
       * @enum {string}
       */
      class?: 'S' | 'M' | 'L';
      /**
       * @description Name of the workload backend.
       * @default docker
       * @example docker
       */
      backend?: string;
      /**
       * @description Configured replicas.
       * @example 4
       */
      replicas: number;
      /**
       * @description Free units of work.
       * @example 2
       */
      freeSlots: number;
    };
    /**
     * @example {
     *       "action": "start",
     *       "name": "garage",
     *       "label": "garage",
     *       "class": "M",
     *       "region": "NA",
     *       "nodeId": "node_macmini",
     *       "kinds": [
     *         "node",
     *         "compute"
     *       ]
     *     }
     */
    Start: {
      /** @constant */
      action: 'start';
      /**
       * @description Public name: 2 to 32 characters: a-z, 0-9, - and _, starting and ending with a letter or digit. Uppercase is converted.
       * @example garage
       */
      name: string;
      /**
       * @description Display label, by the same rules as in a ping. Default: what the node’s heartbeats say, or the name.
       * @example garage
       */
      label?: string;
      /**
       * @description Size class. Default: what the node’s heartbeats say, or S.
       * @example M
       * @enum {string}
       */
      class?: 'S' | 'M' | 'L';
      /**
       * @description Region code. Default: what the node’s heartbeats say, or ZZ (unknown).
       * @example NA
       */
      region?: string;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      /**
       * @example [
       *       "node",
       *       "compute"
       *     ]
       */
      kinds: ('node' | 'compute')[];
      /** @description Proves by the node’s key that the action is its operator’s: a DSSE envelope of the type `application/vnd.mesh-registry.node-proof+json` over `{ network, action, name, nodeId, id, created, nonce }`. Without `id` for `start`. The same proof is accepted again only with the same request. */
      proof?: components['schemas']['DsseEnvelope'];
    };
    /**
     * @example {
     *       "action": "confirm",
     *       "id": "reg_4k7XQ2m9VbT0cRfJ8wYhLd",
     *       "cashConfirm": "#D-7Q2M41"
     *     }
     */
    Confirm: {
      /** @constant */
      action: 'confirm';
      /**
       * @description Secret: anyone who has it can see, confirm and cancel the registration.
       * @example reg_4k7XQ2m9VbT0cRfJ8wYhLd
       */
      id: string;
      /**
       * @description Confirmation text from the payment app, for the reviewer.
       * @example #D-7Q2M41
       */
      cashConfirm?: string;
      /** @description Proves by the node’s key that the action is its operator’s: a DSSE envelope of the type `application/vnd.mesh-registry.node-proof+json` over `{ network, action, name, nodeId, id, created, nonce }`. Without `id` for `start`. The same proof is accepted again only with the same request. */
      proof?: components['schemas']['DsseEnvelope'];
    };
    /**
     * @example {
     *       "action": "cancel",
     *       "id": "reg_4k7XQ2m9VbT0cRfJ8wYhLd"
     *     }
     */
    Cancel: {
      /** @constant */
      action: 'cancel';
      /**
       * @description Secret: anyone who has it can see, confirm and cancel the registration.
       * @example reg_4k7XQ2m9VbT0cRfJ8wYhLd
       */
      id: string;
      /** @description Proves by the node’s key that the action is its operator’s: a DSSE envelope of the type `application/vnd.mesh-registry.node-proof+json` over `{ network, action, name, nodeId, id, created, nonce }`. Without `id` for `start`. The same proof is accepted again only with the same request. */
      proof?: components['schemas']['DsseEnvelope'];
    };
    /**
     * @example {
     *       "id": "reg_4k7XQ2m9VbT0cRfJ8wYhLd"
     *     }
     */
    Claim: {
      /**
       * @description Secret: anyone who has it can see, confirm and cancel the registration.
       * @example reg_4k7XQ2m9VbT0cRfJ8wYhLd
       */
      id: string;
    };
    Mesh: {
      /**
       * @description Rollout label set by the operator.
       * @example 1
       */
      phase: string;
      /**
       * Format: date-time
       * @description The moment that this response describes.
       * @example 2026-07-17T12:03:10.000Z
       */
      updatedAt: string;
      /** @example 60000 */
      offlineAfterMs: number;
      stats: components['schemas']['MeshStats'];
      genesis: components['schemas']['Genesis'];
      /** @description All peers, ordered by joinedAt, then id. */
      peers: components['schemas']['Peer'][];
      /** @description Pings of the last 45 seconds, at most 24, newest first. */
      recentPings: components['schemas']['RecentPing'][];
    };
    /**
     * @description online + syncing + idle + offline = peers, at the same moment as `peers`.
     * @example {
     *       "total": 2,
     *       "peers": 1,
     *       "online": 1,
     *       "syncing": 0,
     *       "idle": 0,
     *       "offline": 0,
     *       "byClass": {
     *         "S": 0,
     *         "M": 1,
     *         "L": 0
     *       },
     *       "byRegion": {
     *         "NA": 1
     *       }
     *     }
     */
    MeshStats: {
      /**
       * @description All peers plus Genesis.
       * @example 1
       */
      total: number;
      /** @example 1 */
      peers: number;
      /** @example 1 */
      online: number;
      /** @example 1 */
      syncing: number;
      /** @example 1 */
      idle: number;
      /** @example 1 */
      offline: number;
      byClass: {
        /** @example 1 */
        S: number;
        /** @example 1 */
        M: number;
        /** @example 1 */
        L: number;
      };
      byRegion: {
        [key: string]: number;
      };
    };
    Genesis: {
      /** @constant */
      id: 'genesis';
      /** @example Genesis */
      label: string;
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class: 'S' | 'M' | 'L';
      /**
       * @description Region code. ZZ means unknown.
       * @example NA
       */
      region: string;
      /** @constant */
      role: 'genesis';
      /** @enum {string} */
      status: 'online' | 'offline' | 'unknown';
      /**
       * @description WGS84, degrees.
       * @example 37.5
       */
      lat: number;
      /**
       * @description WGS84, degrees.
       * @example -122.5
       */
      lng: number;
      joinedAt: string | null;
      /** @description End of the last successful check. */
      lastSeen: string | null;
      /** @description End of the last check. */
      checkedAt: string | null;
      /**
       * @description Duration of the last successful check, in milliseconds.
       * @example 42
       */
      latencyMs: number | null;
    };
    Peer: {
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      id: string;
      /** @example garage */
      label: string;
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class: 'S' | 'M' | 'L';
      /**
       * @description Region code. ZZ means unknown.
       * @example NA
       */
      region: string;
      /** @enum {string} */
      status: 'online' | 'syncing' | 'idle' | 'offline';
      /** @constant */
      role: 'peer';
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      joinedAt: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      lastSeen: string;
      /**
       * @description WGS84, degrees.
       * @example 37.5
       */
      lat: number;
      /**
       * @description WGS84, degrees.
       * @example -122.5
       */
      lng: number;
    };
    RecentPing: {
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      id: string;
      /** @example garage */
      label: string;
      /**
       * @description WGS84, degrees.
       * @example 37.5
       */
      lat: number;
      /**
       * @description WGS84, degrees.
       * @example -122.5
       */
      lng: number;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      at: string;
      isNew: boolean;
    };
    Error: {
      /** @constant */
      ok: false;
      /** @enum {string} */
      code:
        | 'invalid_json'
        | 'invalid_body'
        | 'invalid_query'
        | 'reserved_node_id'
        | 'unauthorized'
        | 'signature_invalid'
        | 'signature_required'
        | 'forbidden'
        | 'blocked'
        | 'not_found'
        | 'method_not_allowed'
        | 'name_taken'
        | 'name_reserved'
        | 'invalid_state'
        | 'already_decided'
        | 'payload_too_large'
        | 'unsupported_media_type'
        | 'rate_limited'
        | 'internal'
        | 'unavailable'
        | 'storage_full';
      /** @description One plain sentence that says what to change. */
      error: string;
      /** @description Only for invalid fields. */
      issues?: components['schemas']['Issue'][];
      /** @description Also in the x-request-id header. */
      requestId: string;
    };
    Issue: {
      /**
       * @description The invalid field.
       * @example computes[3].replicas
       */
      path: string;
      /** @description What is wrong with it, or what it must be. */
      message: string;
    };
    PingDescription: {
      /** @constant */
      ok: true;
      /** @constant */
      endpoint: 'POST /api/mesh/ping';
      auth: {
        /** @constant */
        header: 'Authorization';
        /** @constant */
        scheme: 'Bearer';
        required: boolean;
      };
      /** @example 4096 */
      maxBodyBytes: number;
      /**
       * @description The fields of the body and their rules.
       * @example {
       *       "lat": {
       *         "required": true,
       *         "type": "number",
       *         "minimum": -90,
       *         "maximum": 90
       *       }
       *     }
       */
      fields: {
        [key: string]: {
          required: boolean;
          type?: string;
        } & {
          [key: string]: unknown;
        };
      };
      /**
       * @description How a body is filtered before it is stored.
       * @example [
       *       "Nested values (objects and arrays) are dropped."
       *     ]
       */
      filters: string[];
      /**
       * @description JSON Schema of the body.
       * @example {
       *       "type": "object",
       *       "required": [
       *         "nodeId",
       *         "lat",
       *         "lng"
       *       ]
       *     }
       */
      schema: {
        [key: string]: unknown;
      };
      /** @example 20000 */
      nextPingMs: number;
      /** @example 60000 */
      offlineAfterMs: number;
    };
    PingAnswer: {
      /** @constant */
      ok: true;
      /** @description True for the node’s first ping. */
      isNew: boolean;
      /** @example Welcome. You are on the map. */
      message: string;
      peer: components['schemas']['Peer'];
      /**
       * @description Keys of the body that were dropped.
       * @example [
       *       "ip",
       *       "meta"
       *     ]
       */
      dropped: string[];
      /**
       * @description Milliseconds until the next ping is due.
       * @example 20000
       */
      nextPingMs: number;
    };
    DryPingAnswer: {
      /** @constant */
      ok: true;
      /** @description Whether it would be the node’s first ping. */
      isNew: boolean;
      /** @example This heartbeat would be accepted. Nothing was stored. */
      message: string;
      /** @description As it would be published. */
      peer: components['schemas']['Peer'];
      /**
       * @description Keys of the body that were dropped.
       * @example [
       *       "ip",
       *       "meta"
       *     ]
       */
      dropped: string[];
      /**
       * @description Milliseconds until the next ping is due.
       * @example 20000
       */
      nextPingMs: number;
      /** @constant */
      dryRun: true;
    };
    NetworkHistory: {
      /**
       * Format: date-time
       * @description The moment that this response describes: `to`.
       * @example 2026-07-17T12:03:10.000Z
       */
      updatedAt: string;
      /**
       * @description The length of a step.
       * @example 900
       * @enum {number}
       */
      stepSeconds: 900 | 86400;
      /**
       * Format: date-time
       * @description The start of the first step: history may begin later than asked for.
       * @example 2026-07-17T12:03:10.000Z
       */
      from: string;
      /**
       * Format: date-time
       * @description The end of the last recorded quarter of an hour.
       * @example 2026-07-17T12:03:10.000Z
       */
      to: string;
      /** @description Without gaps, from the first step ever recorded. */
      steps: components['schemas']['NetworkStep'][];
      uptime: components['schemas']['Uptime'];
    };
    /**
     * @description The network at the end of a quarter of an hour. In steps of a day: the mean of its measured quarters; joined and left are sums. All null where the service was away.
     * @example {
     *       "at": "2026-07-17T12:00:00.000Z",
     *       "online": 480,
     *       "syncing": 6,
     *       "idle": 3,
     *       "offline": 11,
     *       "joined": 2,
     *       "left": 0,
     *       "freeSlots": 1210
     *     }
     */
    NetworkStep: {
      /**
       * Format: date-time
       * @description Its start.
       * @example 2026-07-17T12:03:10.000Z
       */
      at: string;
      online: number | null;
      syncing: number | null;
      idle: number | null;
      offline: number | null;
      /** @description Nodes that joined. */
      joined: number | null;
      /** @description Nodes that were removed or blocked. */
      left: number | null;
      /** @description Free slots of available compute offers. */
      freeSlots: number | null;
    };
    /**
     * @description Shares from 0 to 1, up to `to`; null where nothing was measured. Of a node: of the measured quarters of an hour since it joined, those in which it was heard of. Of the network: of its nodes, those that weren’t offline.
     * @example {
     *       "24h": 1,
     *       "7d": 0.994048,
     *       "30d": 0.994048,
     *       "90d": 0.994048
     *     }
     */
    Uptime: {
      '24h': number | null;
      '7d': number | null;
      '30d': number | null;
      '90d': number | null;
    };
    NodeHistory: {
      /**
       * Format: date-time
       * @description The moment that this response describes: `to`.
       * @example 2026-07-17T12:03:10.000Z
       */
      updatedAt: string;
      /**
       * @description The length of a step.
       * @example 900
       * @enum {number}
       */
      stepSeconds: 900 | 86400;
      /**
       * Format: date-time
       * @description The start of the first step: history may begin later than asked for.
       * @example 2026-07-17T12:03:10.000Z
       */
      from: string;
      /**
       * Format: date-time
       * @description The end of the last recorded quarter of an hour.
       * @example 2026-07-17T12:03:10.000Z
       */
      to: string;
      /** @description Without gaps, from the step in which the node joined. */
      steps: components['schemas']['NodeStep'][];
      uptime: components['schemas']['Uptime'];
    };
    /**
     * @example {
     *       "at": "2026-07-17T12:00:00.000Z",
     *       "online": true,
     *       "measured": true
     *     }
     */
    NodeStep: {
      /**
       * Format: date-time
       * @description Its start.
       * @example 2026-07-17T12:03:10.000Z
       */
      at: string;
      /** @description Whether the node was heard of. */
      online: boolean;
      /** @description False if the service itself was away: whether the node was up isn’t known. */
      measured: boolean;
      /**
       * @description Only in steps of a day: measured quarters with a heartbeat.
       * @example 85500
       */
      onlineSeconds?: number;
      /**
       * @description Only in steps of a day: measured quarters since the node joined.
       * @example 86400
       */
      measuredSeconds?: number;
    };
    PlaceHistory: {
      /**
       * Format: date-time
       * @description The moment that this response describes: `to`.
       * @example 2026-07-17T12:03:10.000Z
       */
      updatedAt: string;
      /**
       * @description The length of a step.
       * @example 900
       * @enum {number}
       */
      stepSeconds: 900 | 86400;
      /**
       * Format: date-time
       * @description The start of the first step: history may begin later than asked for.
       * @example 2026-07-17T12:03:10.000Z
       */
      from: string;
      /**
       * Format: date-time
       * @description The end of the last recorded quarter of an hour.
       * @example 2026-07-17T12:03:10.000Z
       */
      to: string;
      /** @description Without gaps; the last day is the day so far. */
      steps: components['schemas']['PlaceStep'][];
    };
    PlaceStep: {
      /**
       * Format: date-time
       * @description Its start.
       * @example 2026-07-17T12:03:10.000Z
       */
      at: string;
      /**
       * @description Nodes that were heard of in it; null if it was not measured.
       * @example 9800
       */
      nodes: number | null;
      /**
       * @description Places with such nodes; null if it was not measured.
       * @example 3120
       */
      places: number | null;
    };
    PlacesAtStep: {
      /**
       * Format: date-time
       * @description The start of the step.
       * @example 2026-07-17T12:03:10.000Z
       */
      at: string;
      /**
       * @description Its length.
       * @example 900
       * @enum {number}
       */
      stepSeconds: 900 | 86400;
      /**
       * @description Nodes that were heard of in it.
       * @example 3
       */
      nodes: number;
      /**
       * @description Where they were, in columns: the n-th elements of all four belong together. Coordinates are rounded as everywhere.
       * @example {
       *       "lat": [
       *         48,
       *         37.5
       *       ],
       *       "lng": [
       *         11.5,
       *         -122.5
       *       ],
       *       "region": [
       *         "EU",
       *         "NA"
       *       ],
       *       "nodes": [
       *         2,
       *         1
       *       ]
       *     }
       */
      places: {
        lat: number[];
        lng: number[];
        region: string[];
        nodes: number[];
      };
    };
    NodeKeyAnswer: {
      /** @constant */
      ok: true;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      /** @description The key to which the node’s id is pinned; null: none. */
      key: string | null;
      /** @description What pinned it: an accepted registration, the first signed request, or a rotation. */
      source: ('registration' | 'first_use' | 'rotation') | null;
      pinnedAt: string | null;
    };
    PublishedTruth: {
      roots: {
        payloadType: string;
        /**
         * Format: base64
         * @description The signed bytes, in base64.
         */
        payload: string;
        signatures: {
          /** @description The public key that made the signature, as text. */
          keyid: string;
          /** Format: base64 */
          sig: string;
        }[];
      }[];
      truth: {
        payloadType: string;
        /**
         * Format: base64
         * @description The signed bytes, in base64.
         */
        payload: string;
        signatures: {
          /** @description The public key that made the signature, as text. */
          keyid: string;
          /** Format: base64 */
          sig: string;
        }[];
      };
    };
    Computes: {
      /**
       * Format: date-time
       * @description The moment that this response describes.
       * @example 2026-07-17T12:03:10.000Z
       */
      updatedAt: string;
      /**
       * @description A row is offline once its last announcement is older than this, in milliseconds.
       * @example 300000
       */
      availableMs: number;
      stats: components['schemas']['ComputeStats'];
      computes: components['schemas']['Compute'][];
    };
    /**
     * @description Totals of the rows in the response.
     * @example {
     *       "total": 1,
     *       "available": 1,
     *       "busy": 0,
     *       "offline": 0,
     *       "replicas": 1,
     *       "freeSlots": 1
     *     }
     */
    ComputeStats: {
      /** @example 1 */
      total: number;
      /** @example 1 */
      available: number;
      /** @example 1 */
      busy: number;
      /** @example 1 */
      offline: number;
      /** @example 1 */
      replicas: number;
      /**
       * @description Sum over available rows only.
       * @example 1
       */
      freeSlots: number;
    };
    Compute: {
      /**
       * @description <nodeId>:<name>
       * @example node_macmini:garage
       */
      id: string;
      /** @example garage */
      name: string;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      /** @example garage */
      label: string;
      /** @example ghcr.io/acme/llama:3.1 */
      image: string;
      /** @enum {string} */
      visibility: 'public' | 'private';
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class: 'S' | 'M' | 'L';
      /** @example docker */
      backend: string;
      /** @example 1 */
      replicas: number;
      /** @example 1 */
      freeSlots: number;
      /** @enum {string} */
      status: 'available' | 'busy' | 'offline';
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      lastSeen: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      firstSeen: string;
    };
    AnnounceAnswer: {
      /** @constant */
      ok: true;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      /** @example 1 */
      count: number;
      computes: components['schemas']['AnnouncedRow'][];
      /** @example 300000 */
      availableMs: number;
      /** @example 60000 */
      nextAnnounceMs: number;
    };
    AnnouncedRow: {
      /**
       * @description <nodeId>:<name>
       * @example node_macmini:garage
       */
      id: string;
      /** @example garage */
      name: string;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      /** @example garage */
      label: string;
      /** @example ghcr.io/acme/llama:3.1 */
      image: string;
      /** @enum {string} */
      visibility: 'public' | 'private';
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class: 'S' | 'M' | 'L';
      /** @example docker */
      backend: string;
      /** @example 1 */
      replicas: number;
      /** @example 1 */
      freeSlots: number;
      /** @enum {string} */
      status: 'available' | 'busy' | 'offline';
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      lastSeen: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      firstSeen: string;
      /** @description Whether the public directory lists it now. */
      listed: boolean;
      /** @description Why it is not listed; null if it is. */
      reason:
        | ('name_not_active' | 'name_owned_by_another_node' | 'registration_lacks_compute')
        | null;
    };
    RegisterInfo: {
      /** @constant */
      ok: true;
      /** @example 5 */
      feeUsd: number;
      /** @example $MeshDemo */
      cashtag: string;
      payment: {
        /** @constant */
        method: 'cash_app';
        /** @example $MeshDemo */
        cashtag: string;
        /** @example 5 */
        feeUsd: number;
        /** @constant */
        currency: 'USD';
        /** @example MESH-<name>-<6 characters> */
        noteFormat: string;
        /**
         * @description How to pay, step by step.
         * @example [
         *       "Pay exactly the fee, with exactly the note."
         *     ]
         */
        instructions: string[];
      };
      rules: {
        /**
         * @example {
         *       "pattern": "^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])$",
         *       "minLength": 2,
         *       "maxLength": 32
         *     }
         */
        name: {
          pattern: string;
          minLength: number;
          maxLength: number;
        };
        kinds: ('node' | 'compute')[];
        classes: ('S' | 'M' | 'L')[];
        /** @example 48 */
        holdHours: number;
      };
      /** @description Active names, newest first. */
      directory: components['schemas']['DirectoryEntry'][];
      counts: {
        /** @example 1 */
        active: number;
        /** @example 1 */
        pending: number;
      };
    };
    DirectoryEntry: {
      /** @example garage */
      name: string;
      /** @example garage */
      label: string;
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class: 'S' | 'M' | 'L';
      /**
       * @description Region code. ZZ means unknown.
       * @example NA
       */
      region: string;
      kinds: ('node' | 'compute')[];
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      activatedAt: string;
    };
    Availability: {
      /** @constant */
      ok: true;
      /**
       * @description The name as it would be registered.
       * @example garage
       */
      name: string;
      available: boolean;
      reason: ('taken' | 'reserved' | 'invalid') | null;
      /** @example garage is available. */
      message: string;
    };
    Registration: {
      /** @constant */
      ok: true;
      /**
       * @description Secret: anyone who has it can see, confirm and cancel the registration.
       * @example reg_4k7XQ2m9VbT0cRfJ8wYhLd
       */
      id: string;
      /** @example garage */
      name: string;
      /** @example garage */
      label: string;
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class: 'S' | 'M' | 'L';
      /**
       * @description Region code. ZZ means unknown.
       * @example NA
       */
      region: string;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      kinds: ('node' | 'compute')[];
      /** @enum {string} */
      status: 'pending_payment' | 'pending_review' | 'active' | 'rejected';
      /**
       * @description Attach exactly this note to the payment.
       * @example MESH-garage-7K3QFA
       */
      paymentNote: string;
      /** @example 5 */
      feeUsd: number;
      /**
       * Format: uri
       * @example https://cash.app/$MeshDemo/5.00?note=MESH-garage-7K3QFA
       */
      payUrl: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      updatedAt: string;
      /**
       * Format: date-time
       * @description Until then the unpaid name is reserved.
       * @example 2026-07-17T12:03:10.000Z
       */
      expiresAt: string;
      rejectionReason: string | null;
      /** @description Whether the node’s key has proved the registration. Missing, like `notices`, if there is neither a proof nor a notice. */
      nodeProved?: boolean;
      /**
       * @description Until it is decided: why the node may be somebody else’s, a sentence each. Reviewers see them too.
       * @example [
       *       "The node already has the active name “attic”."
       *     ]
       */
      notices?: string[];
    };
    NodeRegistrations: {
      /** @constant */
      ok: true;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      count: number;
      /** @description Those that this key has proved, in any status, the oldest first. */
      registrations: components['schemas']['Registration'][];
    };
    Registry: {
      /** @constant */
      ok: true;
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      updatedAt: string;
      /** @example 1 */
      count: number;
      stats: {
        /** @example 1 */
        active: number;
        /**
         * @description Active names of kind node.
         * @example 1
         */
        nodes: number;
        /**
         * @description Active names of kind compute.
         * @example 1
         */
        computes: number;
        /**
         * @description Entries whose node is online now.
         * @example 1
         */
        nodesOnline: number;
        /**
         * @description Entries whose compute is available now.
         * @example 1
         */
        computesAvailable: number;
      };
      /** @description All active names, by name. */
      entries: components['schemas']['RegistryEntry'][];
    };
    RegistryEntry: {
      /** @example garage */
      name: string;
      /** @example garage */
      label: string;
      /**
       * @description Size class.
       * @example M
       * @enum {string}
       */
      class: 'S' | 'M' | 'L';
      /**
       * @description Region code. ZZ means unknown.
       * @example NA
       */
      region: string;
      kinds: ('node' | 'compute')[];
      /**
       * Format: date-time
       * @description ISO 8601, UTC, with milliseconds.
       * @example 2026-07-17T12:03:10.000Z
       */
      activatedAt: string;
      /**
       * @description Opaque identifier of a node, chosen by its operator.
       * @example node_macmini
       */
      nodeId: string;
      node: {
        /** @enum {string} */
        status: 'online' | 'syncing' | 'idle' | 'offline';
        /**
         * Format: date-time
         * @description ISO 8601, UTC, with milliseconds.
         * @example 2026-07-17T12:03:10.000Z
         */
        lastSeen: string;
      } | null;
      compute: {
        /** @enum {string} */
        status: 'available' | 'busy' | 'offline';
        /** @example 1 */
        freeSlots: number;
        /** @example 1 */
        replicas: number;
        /**
         * Format: date-time
         * @description ISO 8601, UTC, with milliseconds.
         * @example 2026-07-17T12:03:10.000Z
         */
        lastSeen: string;
      } | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type Ping = components['schemas']['Ping'];
export type KeyRotation = components['schemas']['KeyRotation'];
export type DsseEnvelope = components['schemas']['DsseEnvelope'];
export type Announce = components['schemas']['Announce'];
export type AnnouncedCompute = components['schemas']['AnnouncedCompute'];
export type Start = components['schemas']['Start'];
export type Confirm = components['schemas']['Confirm'];
export type Cancel = components['schemas']['Cancel'];
export type Claim = components['schemas']['Claim'];
export type Mesh = components['schemas']['Mesh'];
export type MeshStats = components['schemas']['MeshStats'];
export type Genesis = components['schemas']['Genesis'];
export type Peer = components['schemas']['Peer'];
export type RecentPing = components['schemas']['RecentPing'];
export type Error = components['schemas']['Error'];
export type Issue = components['schemas']['Issue'];
export type PingDescription = components['schemas']['PingDescription'];
export type PingAnswer = components['schemas']['PingAnswer'];
export type DryPingAnswer = components['schemas']['DryPingAnswer'];
export type NetworkHistory = components['schemas']['NetworkHistory'];
export type NetworkStep = components['schemas']['NetworkStep'];
export type Uptime = components['schemas']['Uptime'];
export type NodeHistory = components['schemas']['NodeHistory'];
export type NodeStep = components['schemas']['NodeStep'];
export type PlaceHistory = components['schemas']['PlaceHistory'];
export type PlaceStep = components['schemas']['PlaceStep'];
export type PlacesAtStep = components['schemas']['PlacesAtStep'];
export type NodeKeyAnswer = components['schemas']['NodeKeyAnswer'];
export type PublishedTruth = components['schemas']['PublishedTruth'];
export type Computes = components['schemas']['Computes'];
export type ComputeStats = components['schemas']['ComputeStats'];
export type Compute = components['schemas']['Compute'];
export type AnnounceAnswer = components['schemas']['AnnounceAnswer'];
export type AnnouncedRow = components['schemas']['AnnouncedRow'];
export type RegisterInfo = components['schemas']['RegisterInfo'];
export type DirectoryEntry = components['schemas']['DirectoryEntry'];
export type Availability = components['schemas']['Availability'];
export type Registration = components['schemas']['Registration'];
export type NodeRegistrations = components['schemas']['NodeRegistrations'];
export type Registry = components['schemas']['Registry'];
export type RegistryEntry = components['schemas']['RegistryEntry'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
