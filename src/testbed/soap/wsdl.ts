import { xmlEscape } from '../content/xml.ts';
import { actionOf, SERVICE_NAMESPACE } from './operation.ts';
import { allOperations, oneWayOperations } from './service-operations.ts';

interface PortType {
  readonly name: string;
  readonly path: string;
  readonly operations: readonly string[];
}

const portTypes: readonly PortType[] = [
  { name: 'Test', path: '/soap', operations: Object.keys(allOperations) },
  { name: 'Secured', path: '/soap/secured', operations: ['WhoAmI'] },
];

/** Operations with a fault that their callers should know, by the element in its detail. */
const declaredFaults: Readonly<Record<string, string>> = {
  Divide: 'DivisionByZero',
  GetRecord: 'RecordNotFound',
};

const bindings = [
  { suffix: 'Soap11', prefix: 'soap', namespace: 'http://schemas.xmlsoap.org/wsdl/soap/' },
  { suffix: 'Soap12', prefix: 'soap12', namespace: 'http://schemas.xmlsoap.org/wsdl/soap12/' },
] as const;

type Binding = (typeof bindings)[number];

const isOneWay = (operation: string) => Object.hasOwn(oneWayOperations, operation);

/** The WSDL 1.1 description, document/literal wrapped; every port once for SOAP 1.1 and once for SOAP 1.2. */
export function writeWsdl(baseUrl: string): string {
  const address = xmlEscape(baseUrl);
  const operations = portTypes.flatMap((portType) => portType.operations);
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions name="TestService" targetNamespace="${SERVICE_NAMESPACE}" xmlns:tns="${SERVICE_NAMESPACE}"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
    ${bindings.map(({ prefix, namespace }) => `xmlns:${prefix}="${namespace}"`).join(' ')}>
  <wsdl:types>
    <xsd:schema>
      <xsd:import namespace="${SERVICE_NAMESPACE}" schemaLocation="${address}/soap?xsd"/>
    </xsd:schema>
  </wsdl:types>
${operations.map(messagesOf).join('\n')}
${portTypes.map(portTypeOf).join('\n')}
${portTypes.flatMap((portType) => bindings.map((binding) => bindingOf(portType, binding))).join('\n')}
  <wsdl:service name="TestService">
${portTypes.flatMap((portType) => bindings.map((binding) => portOf(portType, binding, address))).join('\n')}
  </wsdl:service>
</wsdl:definitions>
`;
}

function messagesOf(operation: string): string {
  const elements = [operation];
  if (!isOneWay(operation)) elements.push(`${operation}Response`);
  if (declaredFaults[operation]) elements.push(declaredFaults[operation]);
  return elements
    .map(
      (element) =>
        `  <wsdl:message name="${element}"><wsdl:part name="parameters" element="tns:${element}"/></wsdl:message>`,
    )
    .join('\n');
}

function portTypeOf({ name, operations }: PortType): string {
  const lines = operations.map((operation) => {
    const fault = declaredFaults[operation];
    const output = isOneWay(operation) ? '' : `<wsdl:output message="tns:${operation}Response"/>`;
    const faultLine = fault ? `<wsdl:fault name="${fault}" message="tns:${fault}"/>` : '';
    return `    <wsdl:operation name="${operation}"><wsdl:input message="tns:${operation}"/>${output}${faultLine}</wsdl:operation>`;
  });
  return `  <wsdl:portType name="${name}Port">\n${lines.join('\n')}\n  </wsdl:portType>`;
}

function bindingOf({ name, operations }: PortType, { suffix, prefix }: Binding): string {
  const body = `<${prefix}:body use="literal"/>`;
  const lines = operations.map((operation) => {
    const fault = declaredFaults[operation];
    const output = isOneWay(operation) ? '' : `<wsdl:output>${body}</wsdl:output>`;
    const faultLine = fault
      ? `<wsdl:fault name="${fault}"><${prefix}:fault name="${fault}" use="literal"/></wsdl:fault>`
      : '';
    return `    <wsdl:operation name="${operation}"><${prefix}:operation soapAction="${actionOf(operation)}"/><wsdl:input>${body}</wsdl:input>${output}${faultLine}</wsdl:operation>`;
  });
  return `  <wsdl:binding name="${name}${suffix}" type="tns:${name}Port">
    <${prefix}:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
${lines.join('\n')}
  </wsdl:binding>`;
}

function portOf({ name, path }: PortType, { suffix, prefix }: Binding, address: string): string {
  return `    <wsdl:port name="${name}${suffix}" binding="tns:${name}${suffix}"><${prefix}:address location="${address}${path}"/></wsdl:port>`;
}

const twoNumbers = `<xsd:element name="a" type="xsd:int"/><xsd:element name="b" type="xsd:int"/>`;
const oneResult = `<xsd:element name="result" type="xsd:int"/>`;
const recordSummary = `<xsd:element name="id" type="xsd:int"/><xsd:element name="name" type="xsd:string"/><xsd:element name="city" type="xsd:string"/>`;

/** Every element of the service and the sequence of its children. */
const schemaElements: Readonly<Record<string, string>> = {
  Echo: `<xsd:element name="text" type="xsd:string"/>`,
  EchoResponse: `<xsd:element name="text" type="xsd:string"/><xsd:element name="soapVersion" type="xsd:string"/><xsd:element name="action" type="xsd:string"/><xsd:element name="headerBlock" type="xsd:string" minOccurs="0" maxOccurs="unbounded"/>`,
  ...Object.fromEntries(
    ['Add', 'Subtract', 'Multiply', 'Divide'].flatMap((name) => [
      [name, twoNumbers],
      [`${name}Response`, oneResult],
    ]),
  ),
  DivisionByZero: `<xsd:element name="message" type="xsd:string"/>`,
  OutOfRange: `<xsd:element name="message" type="xsd:string"/>`,
  ListRecords: `<xsd:element name="page" type="xsd:positiveInteger" minOccurs="0"/><xsd:element name="pageSize" type="xsd:positiveInteger" minOccurs="0"/>`,
  ListRecordsResponse: `<xsd:element name="total" type="xsd:int"/><xsd:element name="record" type="tns:RecordSummary" minOccurs="0" maxOccurs="unbounded"/>`,
  GetRecord: `<xsd:element name="id" type="xsd:positiveInteger"/>`,
  GetRecordResponse: `<xsd:element name="record" type="tns:Record"/>`,
  RecordNotFound: `<xsd:element name="id" type="xsd:positiveInteger"/>`,
  EchoAttachment: `<xsd:element name="name" type="xsd:string"/><xsd:element name="content" type="xsd:base64Binary" xmime:expectedContentTypes="application/octet-stream"/>`,
  EchoAttachmentResponse: `<xsd:element name="name" type="xsd:string"/><xsd:element name="size" type="xsd:int"/><xsd:element name="sha256" type="xsd:string"/><xsd:element name="content" type="xsd:base64Binary" xmime:expectedContentTypes="application/octet-stream"/>`,
  Notify: `<xsd:element name="text" type="xsd:string"/>`,
  WhoAmI: '',
  WhoAmIResponse: `<xsd:element name="userName" type="xsd:string"/><xsd:element name="passwordType" type="xsd:string"/>`,
};

const schemaTypes: Readonly<Record<string, string>> = {
  RecordSummary: recordSummary,
  Record: `${recordSummary}<xsd:element name="balance" type="xsd:decimal"/><xsd:element name="active" type="xsd:boolean"/><xsd:element name="since" type="xsd:dateTime"/><xsd:element name="note" type="xsd:string" nillable="true"/>`,
};

/** The XML Schema of every message. */
export function writeXsd(): string {
  const sequence = (children: string) => `<xsd:sequence>${children}</xsd:sequence>`;
  const elements = Object.entries(schemaElements).map(
    ([name, children]) =>
      `  <xsd:element name="${name}"><xsd:complexType>${sequence(children)}</xsd:complexType></xsd:element>`,
  );
  const types = Object.entries(schemaTypes).map(
    ([name, children]) => `  <xsd:complexType name="${name}">${sequence(children)}</xsd:complexType>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<xsd:schema targetNamespace="${SERVICE_NAMESPACE}" elementFormDefault="qualified" xmlns:tns="${SERVICE_NAMESPACE}"
    xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xmime="http://www.w3.org/2005/05/xmlmime">
${[...elements, ...types].join('\n')}
</xsd:schema>
`;
}
