import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.net.InetSocketAddress;
import java.util.List;

/** Serves MongoDB's protocol on a port chosen by the system, and says which; ends when its standard input does. */
public class MongoServerMain {
    public static void main(String[] arguments) throws Exception {
        MemoryBackend backend = new MemoryBackend();
        backend.version(new Version());
        MongoServer server = new MongoServer(backend);
        // One thread for all connections: with several it sends documents that the next call is already changing.
        server.bind(new InetSocketAddress("127.0.0.1", 0), 1, 1);
        System.out.println("port " + server.getLocalAddress().getPort());
        while (System.in.read() >= 0) {
        }
        server.shutdownNow();
        System.exit(0);
    }

    /** The driver asks for MongoDB 4.4 at least. The server calls itself 5.0 with the protocol version of 4.2: this is the one of 5.0. */
    private static class Version implements MongoVersion {
        @Override
        public List<Integer> getVersionArray() {
            return List.of(5, 0, 0);
        }

        @Override
        public int getWireVersion() {
            return 13;
        }
    }
}
