import { Type } from 'typebox';
import { type Answer, reply } from '../../kernel/catalogue/answer.ts';
import { int64 } from '../../kernel/catalogue/declarations.ts';
import type { ResponseDeclaration } from '../../kernel/catalogue/endpoint.ts';
import { contactSchema } from '../contact/contact.schema.ts';
import { validContact } from '../contact/contact-body.ts';
import { contactAnswer, contactError, contactTypeFor } from '../contact/contact-media.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const group = 'contact';
const spec = '1 §4.3';
const NOT_FOUND = 'Contact not found';

const params = Type.Object({ contactId: int64({ description: 'The contact.' }) });
const media = <Schema>(schema: Schema) => ({ 'application/json': schema, 'application/xml': schema });
const contactBody = { required: true, content: media(contactSchema) };
const contactIn = (description: string): ResponseDeclaration => ({
  description,
  content: media(contactSchema),
});
const plain = (description: string): ResponseDeclaration => ({ description, content: media(Type.String()) });
const notAcceptable = plain('Neither JSON nor XML is acceptable.');
const unsupported = plain('The body is neither JSON nor XML.');
const tooLarge = plain('The body is too large.');
const notFound = plain(NOT_FOUND);

const ada = '{"id":7,"name":"Ada","phone":"+90 555 123 45 67","postalCode":34000}';
const adaXml = '<Contact><id>7</id><name>Ada &amp; Co</name><postalCode>34000</postalCode></Contact>';
const createAda = {
  method: 'POST',
  path: '/openapi/contacts',
  headers: ['Content-Type', 'application/json'],
  body: ada,
};

export const contact: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'contact-create',
    group,
    spec,
    methods: ['POST'],
    path: '/openapi/contacts',
    summary: 'Creates a contact from JSON or XML.',
    body: contactBody,
    responses: {
      201: { ...contactIn('The contact.'), headers: { Location: 'Where it is now.' } },
      400: plain('Invalid input'),
      406: notAcceptable,
      409: plain('Contact already exists'),
      413: tooLarge,
      415: unsupported,
      507: plain('The store is full.'),
    },
    examples: [
      {
        name: 'JSON in, XML out',
        headers: ['Content-Type', 'application/json', 'Accept', 'application/xml'],
        body: ada,
        expect: {
          status: 201,
          headers: { location: '/openapi/contacts/7', 'content-type': 'application/xml' },
          text: '<?xml version="1.0" encoding="UTF-8"?>\n<Contact>\n  <id>7</id>\n  <name>Ada</name>\n  <phone>+90 555 123 45 67</phone>\n  <postalCode>34000</postalCode>\n</Contact>\n',
        },
      },
      {
        name: 'XML in, JSON out',
        headers: ['Content-Type', 'text/xml', 'Accept', 'application/json'],
        body: adaXml,
        expect: { status: 201, text: '{\n  "id": 7,\n  "name": "Ada & Co",\n  "postalCode": 34000\n}\n' },
      },
      {
        name: 'nothing is created for who cannot be told',
        headers: ['Content-Type', 'application/json', 'Accept', 'image/png'],
        body: ada,
        expect: { status: 406, headers: { location: null } },
        shown: false,
      },
      {
        name: 'a body of another kind',
        headers: ['Content-Type', 'text/csv'],
        body: '7,Ada',
        expect: {
          status: 415,
          text: '"Content-Type text/csv is not understood here; send application/json, application/xml, text/xml."\n',
        },
      },
      {
        name: 'it exists already',
        setUp: [createAda],
        headers: ['Content-Type', 'application/json'],
        body: ada,
        expect: {
          status: 409,
          headers: { 'content-type': 'application/json' },
          text: '"Contact already exists"\n',
        },
      },
      {
        name: 'a blank name, answered in XML',
        headers: ['Content-Type', 'application/xml', 'Accept', 'application/xml'],
        body: '<Contact><id>1</id><name> </name></Contact>',
        expect: {
          status: 400,
          headers: { 'content-type': 'application/xml' },
          text: /<string>Invalid input: the body at \/name must match pattern/,
        },
      },
      {
        name: 'a DOCTYPE',
        headers: ['Content-Type', 'application/xml'],
        body: '<!DOCTYPE Contact [<!ENTITY x "y">]><Contact><id>1</id><name>&x;</name></Contact>',
        expect: { status: 400, text: /^"Invalid input: The XML has a document type declaration/ },
      },
    ],
    handle: async (call) => {
      contactTypeFor(call.request);
      const given = await validContact(call);
      if (typeof given === 'string') return contactError(call.request, 400, `Invalid input: ${given}`);
      const outcome = await call.services.state.contacts.create(given);
      if (outcome === 'exists') return contactError(call.request, 409, 'Contact already exists');
      if (outcome === 'full') return contactError(call.request, 507, 'The store is full');
      return contactAnswer(call.request, given, {
        status: 201,
        headers: ['Location', `/openapi/contacts/${given.id}`],
      });
    },
  }),
  endpoint({
    id: 'contact-find',
    group,
    spec,
    methods: ['GET'],
    path: '/openapi/contacts',
    summary: 'The contact with the given id.',
    query: Type.Object({ id: int64({ description: 'The contact.' }) }),
    responses: {
      200: contactIn('The contact.'),
      400: plain('The id is missing or no integer.'),
      404: notFound,
      406: notAcceptable,
    },
    examples: [
      {
        name: 'as JSON',
        path: '/openapi/contacts?id=7',
        setUp: [createAda],
        expect: {
          status: 200,
          headers: { 'content-type': 'application/json' },
          json: { id: 7, name: 'Ada' },
        },
      },
      { name: 'without an id', expect: { status: 400, text: /^"query parameter id is required\.?"\n$/ } },
      {
        name: 'nobody',
        path: '/openapi/contacts?id=8',
        expect: { status: 404, text: '"Contact not found"\n' },
      },
    ],
    handle: (call) => showContact(call, call.query.id),
  }),
  endpoint({
    id: 'contact-get',
    group,
    spec,
    methods: ['GET'],
    path: '/openapi/contacts/{contactId}',
    summary: 'One contact, as JSON or XML.',
    params,
    responses: {
      200: contactIn('The contact.'),
      400: plain('The id is no integer.'),
      404: notFound,
      406: notAcceptable,
    },
    examples: [
      {
        name: 'as XML',
        path: '/openapi/contacts/7',
        setUp: [createAda],
        headers: ['Accept', 'text/xml'],
        expect: { status: 200, headers: { 'content-type': 'text/xml' }, text: /<Contact>\n {2}<id>7<\/id>/ },
      },
      {
        name: 'nobody, answered in XML',
        path: '/openapi/contacts/8',
        headers: ['Accept', 'application/xml'],
        expect: {
          status: 404,
          text: '<?xml version="1.0" encoding="UTF-8"?>\n<string>Contact not found</string>\n',
        },
      },
      {
        name: 'neither JSON nor XML is acceptable',
        path: '/openapi/contacts/7',
        setUp: [createAda],
        headers: ['Accept', 'image/png'],
        expect: { status: 406, text: /application\/xml/ },
      },
    ],
    handle: (call) => showContact(call, call.params.contactId),
  }),
  endpoint({
    id: 'contact-update',
    group,
    spec,
    methods: ['PUT'],
    path: '/openapi/contacts/{contactId}',
    summary: 'Replaces a contact.',
    description: 'A body that is no contact is answered by 405, as the specification asks.',
    params,
    body: contactBody,
    responses: {
      200: contactIn('The contact as it is now.'),
      400: plain('Invalid ID'),
      404: notFound,
      405: plain('Validation exception'),
      406: notAcceptable,
      413: tooLarge,
      415: unsupported,
    },
    examples: [
      {
        name: 'a new name; the id may be left out',
        path: '/openapi/contacts/7',
        setUp: [createAda],
        headers: ['Content-Type', 'application/json'],
        body: '{"name":"Grace"}',
        expect: { status: 200, text: '{\n  "id": 7,\n  "name": "Grace"\n}\n' },
      },
      {
        name: 'an id that is no integer',
        path: '/openapi/contacts/seven',
        headers: ['Content-Type', 'application/json'],
        body: ada,
        expect: { status: 400, text: '"path parameter contactId must be an integer."\n' },
      },
      {
        name: 'a phone number that is none',
        path: '/openapi/contacts/7',
        setUp: [createAda],
        headers: ['Content-Type', 'application/json'],
        body: '{"id":7,"name":"Ada","phone":"call me"}',
        expect: { status: 405, text: /^"Validation exception: the body at \/phone must match pattern/ },
      },
      {
        name: 'the id of another contact in the body',
        path: '/openapi/contacts/7',
        setUp: [createAda],
        headers: ['Content-Type', 'application/json'],
        body: '{"id":8,"name":"Ada"}',
        expect: { status: 405, text: '"Validation exception: the body at /id must be 7, as in the path"\n' },
      },
      {
        name: 'nobody',
        path: '/openapi/contacts/8',
        headers: ['Content-Type', 'application/json'],
        body: '{"name":"Ada"}',
        expect: { status: 404, text: '"Contact not found"\n' },
      },
    ],
    handle: async (call) => {
      const { contactId } = call.params;
      contactTypeFor(call.request);
      const given = await validContact(call, contactId);
      if (typeof given === 'string') return contactError(call.request, 405, `Validation exception: ${given}`);
      const isReplaced = await call.services.state.contacts.replace(given);
      return isReplaced ? contactAnswer(call.request, given) : contactError(call.request, 404, NOT_FOUND);
    },
  }),
  endpoint({
    id: 'contact-delete',
    group,
    spec,
    methods: ['DELETE'],
    path: '/openapi/contacts/{contactId}',
    summary: 'Removes a contact.',
    params,
    responses: { 200: { description: 'It is gone.' }, 400: plain('The id is no integer.'), 404: notFound },
    examples: [
      {
        name: 'a contact',
        path: '/openapi/contacts/7',
        setUp: [createAda],
        expect: { status: 200, length: 0 },
      },
      { name: 'nobody', path: '/openapi/contacts/7', expect: { status: 404, text: '"Contact not found"\n' } },
    ],
    handle: async ({ request, params, services }) => {
      const isRemoved = await services.state.contacts.remove(params.contactId);
      return isRemoved ? reply.empty(200) : contactError(request, 404, NOT_FOUND);
    },
  }),
];

async function showContact({ request, services }: TestbedCall, id: number): Promise<Answer> {
  const shown = await services.state.contacts.get(id);
  return shown ? contactAnswer(request, shown) : contactError(request, 404, NOT_FOUND);
}
