/** What a slot file is, as an eye sees it that is not the node's. */
export function slotState(path: string): 'missing' | 'wrong checksum' | 'whole';
