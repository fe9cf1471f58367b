/** What every answer with a dump says of itself (spec 2 §8). */
export const loadNotice = 'Heap and thread dumps load the pod: better in hours of low traffic.';
/** The same where the answer is a file. */
export const loadNoticeField = ['Gatehouse-Notice', loadNotice];
