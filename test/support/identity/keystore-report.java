import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.security.cert.Certificate;
import java.util.*;
import javax.crypto.spec.SecretKeySpec;

/** Says what Java reads in keystores: one line of input names a keystore, some lines of output say what is in it. */
class KeystoreReport {
  public static void main(String[] words) throws Exception {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] cells = line.split("\t", -1);
      char[] store = password(cells[3]);
      char[] entry = password(cells[4]);
      if (cells[0].equals("make")) make(cells[1], Path.of(cells[2]), store, entry);
      else out.println(report(cells[1], Path.of(cells[2]), store, entry));
    }
  }

  private static char[] password(String cell) {
    return cell.equals("-") ? null : cell.substring(1).toCharArray();
  }

  /** Secret keys of many algorithms, and one whose password is not that of the store. */
  private static void make(String type, Path file, char[] store, char[] entry) throws Exception {
    KeyStore keystore = KeyStore.getInstance(type);
    keystore.load(null, null);
    byte[] bytes = "these are 24 bytes of it".getBytes(StandardCharsets.US_ASCII);
    for (String algorithm : List.of("AES", "HmacSHA1", "HmacSHA384", "HmacSHA512", "HmacSHA224", "DESede")) {
      keystore.setKeyEntry("S-" + algorithm, new SecretKeySpec(bytes, algorithm), store, null);
    }
    keystore.setKeyEntry("other", new SecretKeySpec(bytes, "AES"), entry, null);
    try (OutputStream out = Files.newOutputStream(file)) {
      keystore.store(out, store);
    }
  }

  private static String report(String type, Path file, char[] store, char[] entry) {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore keystore = KeyStore.getInstance(type);
      keystore.load(in, store);
      TreeSet<String> lines = new TreeSet<>();
      for (String alias : Collections.list(keystore.aliases())) lines.add(described(keystore, alias, entry));
      return "[" + String.join(",", lines) + "]";
    } catch (Exception refused) {
      return "null";
    }
  }

  private static String described(KeyStore keystore, String alias, char[] entry) throws Exception {
    Certificate[] chain = keystore.getCertificateChain(alias);
    Certificate own = keystore.getCertificate(alias);
    String rest = "\",\"chain\":" + (chain == null ? 0 : chain.length) + ",\"certificate\":\""
        + (own == null ? "" : hash(own.getEncoded())) + "\"}";
    String row = "{\"alias\":\"" + escaped(alias) + "\",\"entry\":\"";
    if (keystore.isCertificateEntry(alias)) return row + "cert\",\"key\":\"" + rest;
    try {
      Key key = keystore.getKey(alias, entry);
      String kind = key instanceof PrivateKey ? "private" : "secret";
      return row + kind + "\",\"key\":\"" + key.getAlgorithm() + ":" + hash(key.getEncoded()) + rest;
    } catch (UnrecoverableKeyException | NullPointerException unreadable) {
      return row + "key-unreadable\",\"key\":\"UnrecoverableKeyException" + rest;
    }
  }

  private static String hash(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    for (char one : text.toCharArray()) escaped.append(String.format("\\u%04x", (int) one));
    return escaped.toString();
  }
}
