-- A platform database as schema version 1 left it.
PRAGMA journal_mode = WAL;
PRAGMA user_version = 1;
CREATE TABLE c_projects (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, doc TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX c_projects_unique_4name ON c_projects (json_extract(doc, '$.name'));
CREATE INDEX c_projects_indexed_5order ON c_projects (json_extract(doc, '$.order'), id);
INSERT INTO c_projects (id, revision, doc) VALUES ('0123456789abcdef01234567', 3, '{"name":"default","order":1}');
INSERT INTO c_projects (id, revision, doc) VALUES ('fedcba9876543210fedcba98', 1, '{"name":"Köprü 🏛","order":2}');
