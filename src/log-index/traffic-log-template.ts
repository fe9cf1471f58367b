/** The data stream of an environment's traffic log. Names of streams have neither capitals nor spaces. */
export function trafficLogStream(environment: string): string {
  return `${STREAM_PREFIX}${environment.toLowerCase().replaceAll(' ', '-')}`;
}

const STREAM_PREFIX = 'gateway-log-apiproxy-';

/** Every traffic-log stream. */
export const trafficLogStreams = `${STREAM_PREFIX}*`;

export const trafficLogTemplateName = 'gatehouse-traffic-log';

const keyword = { type: 'keyword', ignore_above: 1024 } as const;
const long = { type: 'long' } as const;
/** Kept and returned, but not searched: bodies and their kin are most of a record's bytes. */
const kept = { type: 'object', enabled: false } as const;

/**
 * The index template of the traffic log: first writes to a stream that matches make the stream. Elasticsearch, OpenSearch and
 * the embedded index take it alike.
 */
export const trafficLogTemplate = {
  index_patterns: [trafficLogStreams],
  data_stream: {},
  priority: 500,
  template: {
    // How many replicas there are is the cluster's to say.
    settings: { 'index.number_of_shards': 1 },
    mappings: {
      dynamic_templates: [{ texts: { match_mapping_type: 'string', mapping: keyword } }],
      date_detection: false,
      properties: {
        '@timestamp': { type: 'date' },
        aci: keyword,
        ei: keyword,
        pi: keyword,
        api: keyword,
        apn: keyword,
        apr: keyword,
        eat: keyword,
        aprp: keyword,
        apmi: keyword,
        apmn: keyword,
        xff: keyword,
        uok: keyword,
        hr1ra: keyword,
        hr1hm: keyword,
        hr1ct: keyword,
        hr1pi: keyword,
        hr1cp: keyword,
        ra: keyword,
        rrc: long,
        rfc: long,
        trqpt: long,
        trspt: long,
        trt: long,
        tapt: long,
        ch: { type: 'boolean' },
        sr1t: long,
        sr2t: long,
        sc: long,
        rt: keyword,
        et: keyword,
        pet: keyword,
        fcrp: kept,
        fcrh: kept,
        fcrb: kept,
        tbap: kept,
        tbah: kept,
        tba: kept,
        fbarh: kept,
        fbarb: kept,
        tch: kept,
        tcb: kept,
      },
    },
  },
} as const;
