/** How a frame travels. */
export interface FrameWay {
  readonly from: string;
  readonly to: string;
  /** Who dialled the link, of the two. */
  readonly dialledBy: string;
  /** Number of the link among all of its world: a newer one has a larger number. */
  readonly link: number;
  /** Between nodes; otherwise between a client and a node. */
  readonly isPeer: boolean;
}

/** Looks at all frames of a world, and changes nothing. A frame is known by its memory. */
export interface FrameWatch {
  /** It is given to the network. */
  sent(bytes: Uint8Array, way: FrameWay): void;
  /** A process takes it in, as the event that runs. A copy comes again. */
  heard(bytes: Uint8Array): void;
}
