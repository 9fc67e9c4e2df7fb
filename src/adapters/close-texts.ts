/** Codes with which a link is closed (RFC 6455 §7.4.1). */
export const CLOSE_CODE = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  abnormal: 1006,
  messageTooBig: 1009,
} as const;

/** What the owner of a link is told of its end. */
export function closeText(code: number, reason: string): string {
  if (code === CLOSE_CODE.abnormal) return 'connection lost';
  return `closed by the far end: ${code}${reason === '' ? '' : ` ${reason}`}`;
}

/** Why an end sends no more: the frame that was given to it is too long. */
export function oversizeText(bytes: number): string {
  return `a frame of ${bytes} bytes was to be sent`;
}

/** Why an end sends no more: the far end does not read. */
export function unreadText(bytes: number): string {
  return `${bytes} bytes left unread`;
}
