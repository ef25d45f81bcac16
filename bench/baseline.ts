import { createHash } from "node:crypto";
import { verify } from "@node-rs/argon2";
import fastify from "fastify";
import { Pool } from "pg";
import { WebSocket, WebSocketServer } from "ws";
import { SESSION_COLUMNS } from "../src/domain/sessions/session-queries";
import { USER_COLUMNS } from "../src/domain/users/user-queries";

/**
 * The baseline: a server with the minimum of work for each request and none of the service's code. Started as
 * `node baseline.js PORT DATABASE_URL`, it prints `ready` and serves GET /hello; GET /session and GET /users
 * with one prepared select each, of the same columns as the service's; POST /session with one argon2id
 * verification; and a WebSocket that forwards each message unchanged to every other socket.
 */
async function main(port: number, database: string): Promise<void> {
  const pool = new Pool({ connectionString: database, max: 10 });
  const select = async (name: string, text: string, values: unknown[]) =>
    (await pool.query<Record<string, unknown>>({ name, text, values })).rows;
  const server = fastify();

  server.get("/hello", async () => ({ hello: "world" }));

  server.get("/session", async (request) => {
    const token = String(request.headers["svc-token"]);
    const [session] = await select("session", SESSION, [
      createHash("sha256").update(token).digest(),
    ]);
    return { session };
  });

  server.get("/users", async (request) => {
    const { tag } = request.query as { tag: string };
    return { items: await select("users", USERS, [tag]) };
  });

  const [user] = await select("hash", "SELECT password_hash FROM users LIMIT 1", []);
  const hash = String(user?.password_hash);
  server.post("/session", async (request, reply) => {
    const { password } = request.body as { password: string };
    if (!(await verify(hash, password))) throw new Error("the password is wrong");
    reply.code(201);
    return { session: {} };
  });

  await server.listen({ port, host: "127.0.0.1" });
  const sockets = new WebSocketServer({ server: server.server, perMessageDeflate: false });
  sockets.on("connection", (sender) => {
    sender.on("message", (data) => {
      const text = data.toString();
      for (const socket of sockets.clients) {
        if (socket !== sender && socket.readyState === WebSocket.OPEN) socket.send(text);
      }
    });
  });
  process.once("SIGTERM", () => process.exit(0));
  process.stdout.write("ready\n");
}

const SESSION = `SELECT ${SESSION_COLUMNS} FROM sessions s LEFT JOIN users u ON u.id = s.user_id
  WHERE s.token_hash = $1`;
const USERS = `SELECT ${USER_COLUMNS} FROM users u
  WHERE u.id IN (SELECT g.user_id FROM user_tags g WHERE g.tag = $1) ORDER BY u.id LIMIT 100`;

const [port = "", database = ""] = process.argv.slice(2);
main(Number(port), database).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
